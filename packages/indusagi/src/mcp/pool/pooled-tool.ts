import { describeError } from "../../core/index.ts";
import { answeredRemotely } from "../../interop/bridge/index.ts";
import { isProtocolFault, type RemoteTool } from "../../interop/index.ts";
import {
  abortedOutcome,
  faultOutcome,
  type TableTool,
  type ToolFault,
  unknownToolOutcome,
} from "../../runtime/index.ts";
import { callTool, coreOf, type MCPClient } from "../client/index.ts";
import { isMCPError } from "../errors/index.ts";

/** An entry of the pool's box. Calls go through the client, so its handlers and timeout apply. */
export function pooledTool(
  { ref, descriptor }: RemoteTool,
  clientOf: (server: string) => MCPClient | undefined,
): TableTool {
  return {
    descriptor,
    run: async (call, signal, caller) => {
      if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
      const client = clientOf(ref.server);
      if (!client) return unknownToolOutcome(call.id, call.name);
      try {
        const answer = await callTool(coreOf(client), {
          name: ref.name,
          args: call.input,
          ...(signal ? { signal } : {}),
          ...(caller ? { caller } : {}),
          ...(call.meta ? { meta: call.meta } : {}),
        });
        return answeredRemotely(call, answer);
      } catch (thrown) {
        if (signal?.aborted) return abortedOutcome(call.id, call.name, true);
        return faultOutcome(call.id, describeError(thrown), faultOf(ref.server, thrown));
      }
    },
  };
}

/** The cause has more detail than the error's code. A NOT_CONNECTED error has an earlier fault as its cause. */
function faultOf(server: string, thrown: unknown): ToolFault {
  if (isMCPError(thrown) && thrown.code === "NOT_CONNECTED")
    return { kind: "not_connected", retrySafe: true, server };
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return isProtocolFault(cause) ? cause.toToolFault() : { kind: "tool_error", retrySafe: false, server };
}
