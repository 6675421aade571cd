import { ProtocolFault, type ServerSession, type ToolListing } from "../../contract/index.ts";
import { type DescribeOptions, describeTool } from "./describe-tool.ts";
import { listDefinitions } from "./list-definitions.ts";

export interface ListToolsOptions extends DescribeOptions {
  readonly listMs: number;
  readonly signal: AbortSignal;
}

/** A server's tools as tools of ours, and those that could not be taken. A server without tools is not asked for them. */
export async function listTools(session: ServerSession, options: ListToolsOptions): Promise<ToolListing> {
  if (session.capabilities["tools"] === undefined) return { tools: [], skipped: [], truncated: false };
  try {
    const listed = await listDefinitions(session, options);
    const described = listed.definitions.map((definition) => describeTool(definition, options));
    return {
      tools: described.flatMap((tool) => ("ref" in tool ? [tool] : [])),
      skipped: [...listed.skipped, ...described.flatMap((tool) => ("ref" in tool ? [] : [tool]))],
      truncated: listed.truncated,
    };
  } catch (thrown) {
    throw asListFault(options.server, thrown);
  }
}

/** A deadline stays a timeout and a lost connection a transport fault; whatever else spoils a listing is `protocol`. */
function asListFault(server: string, thrown: unknown): unknown {
  if (!(thrown instanceof ProtocolFault) || thrown.kind !== "tool_error") return thrown;
  const message = `server "${server}" could not list its tools: ${thrown.message}`;
  return new ProtocolFault("protocol", message, { ...thrown.details, cause: thrown });
}
