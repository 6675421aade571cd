import type {
  MCPElicitationHandler,
  MCPListChangedHandler,
  MCPLogHandler,
  MCPProgressHandler,
  MCPResourceUpdatedHandler,
  MCPRoot,
  MCPSamplingHandler,
} from "../contract/index.ts";
import { MCPError } from "../errors/index.ts";

/** The handlers and roots that a program has set. They outlive connections. */
export interface ClientHandlers {
  elicitation?: MCPElicitationHandler | undefined;
  sampling?: MCPSamplingHandler | undefined;
  progress?: MCPProgressHandler | undefined;
  resourceUpdated?: MCPResourceUpdatedHandler | undefined;
  resourceListChanged?: MCPListChangedHandler | undefined;
  promptListChanged?: MCPListChangedHandler | undefined;
  toolListChanged?: MCPListChangedHandler | undefined;
  logger?: MCPLogHandler | undefined;
  /** Absent: servers learn that they cannot ask for roots. */
  roots?: readonly MCPRoot[] | undefined;
}

/** Copies the roots, or throws an error that names the invalid one. */
export function checkedRoots(roots: readonly MCPRoot[], serverName: string): readonly MCPRoot[] {
  for (const { uri } of roots) {
    if (typeof uri === "string" && uri.startsWith("file://") && URL.canParse(uri)) continue;
    throw new MCPError(
      `root ${JSON.stringify(uri)} for server "${serverName}" is not a file:// URI; roots are folders on this machine`,
      "INVALID_PARAMETERS",
      { uri },
      { serverName },
    );
  }
  return Object.freeze(roots.map((root) => Object.freeze({ ...root })));
}
