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

/** Everything a program has put in place to hear or to answer a server. It outlives connections. */
export interface ClientHandlers {
  elicitation?: MCPElicitationHandler | undefined;
  sampling?: MCPSamplingHandler | undefined;
  progress?: MCPProgressHandler | undefined;
  resourceUpdated?: MCPResourceUpdatedHandler | undefined;
  resourceListChanged?: MCPListChangedHandler | undefined;
  promptListChanged?: MCPListChangedHandler | undefined;
  toolListChanged?: MCPListChangedHandler | undefined;
  logger?: MCPLogHandler | undefined;
  /** Absent: servers are not told that folders can be asked for. */
  roots?: readonly MCPRoot[] | undefined;
}

/** The folders as they may be told, or a refusal that names the one that may not. */
export function checkedRoots(roots: readonly MCPRoot[], serverName: string): readonly MCPRoot[] {
  for (const { uri } of roots) {
    if (typeof uri === "string" && uri.startsWith("file://") && URL.canParse(uri)) continue;
    throw new MCPError(
      `root ${JSON.stringify(uri)} for server "${serverName}" is no file:// address; roots are folders of this machine`,
      "INVALID_PARAMETERS",
      { uri },
      { serverName },
    );
  }
  return Object.freeze(roots.map((root) => Object.freeze({ ...root })));
}
