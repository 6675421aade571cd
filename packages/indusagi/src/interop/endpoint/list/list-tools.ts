import { nextTurn } from "../../../core/internal.ts";
import {
  ProtocolFault,
  type RemoteTool,
  type ServerSession,
  type ToolListing,
} from "../../contract/index.ts";
import { type DescribeOptions, describeTool } from "./describe-tool.ts";
import { listDefinitions, usableDefinitions } from "./list-definitions.ts";

export interface ListToolsOptions extends DescribeOptions {
  readonly listMs: number;
  readonly signal: AbortSignal;
}

/** A server's tools and the ones that cannot be used. A server without the tools capability is not asked. */
export async function listTools(session: ServerSession, options: ListToolsOptions): Promise<ToolListing> {
  if (session.capabilities["tools"] === undefined) return { tools: [], skipped: [], truncated: false };
  try {
    const listed = await listDefinitions(session, options);
    // Reading many tools takes one turn, describing and offering them another: calls do not wait for both.
    await nextTurn();
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

/** The tools in definitions that were listed earlier and kept. What cannot be used is left out. */
export function toolsFromDefinitions(
  given: readonly unknown[],
  options: DescribeOptions,
): readonly RemoteTool[] {
  const described = usableDefinitions(given).map((definition) => describeTool(definition, options));
  return described.flatMap((tool) => ("ref" in tool ? [tool] : []));
}

/** A timeout stays a timeout and a lost connection stays a transport fault; any other failed listing is `protocol`. */
function asListFault(server: string, thrown: unknown): unknown {
  if (!(thrown instanceof ProtocolFault) || thrown.kind !== "tool_error") return thrown;
  const message = `server "${server}" could not list its tools: ${thrown.message}`;
  return new ProtocolFault("protocol", message, { ...thrown.details, cause: thrown });
}
