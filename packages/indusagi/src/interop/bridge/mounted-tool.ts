import { describeError } from "../../core/index.ts";
import {
  abortedOutcome,
  faultOutcome,
  foldContent,
  type Tool,
  type ToolCall,
  type ToolOutcome,
} from "../../runtime/index.ts";
import { fromMcpResult } from "../content/index.ts";
import {
  type InvokeResult,
  isProtocolFault,
  ProtocolFault,
  type RemoteTool,
  type RemoteToolRef,
  type ServerFleet,
} from "../contract/index.ts";
import { runLeased } from "../fleet/index.ts";

/** A remote tool as an entry of a box. It is bound to the fleet and the server's id, never to one connection. */
export function mountedTool(fleet: ServerFleet, tool: RemoteTool): Tool {
  const { ref, descriptor, definition } = tool;
  return {
    descriptor,
    run: async (call, signal, caller) => {
      if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
      const options = { ...(signal && { signal }), ...(caller && { caller }) };
      const { input, meta, task } = call;
      try {
        const answer = await runLeased(fleet, ref.server, options, (endpoint) =>
          endpoint.invoke(ref.name, input, {
            definition,
            ...(meta && { meta }),
            ...(task && { task }),
            ...options,
          }),
        );
        const outcome = answeredRemotely(call, answer);
        // Whoever passes the task on needs its server, also if the call came through a tool that calls others.
        if (!answer.task) return outcome;
        return { ...outcome, result: { ...outcome.result, origin: { server: ref.server, tool: ref.name } } };
      } catch (thrown) {
        if (signal?.aborted) return abortedOutcome(call.id, call.name, true);
        return faultedRemotely(call, ref, thrown);
      }
    },
  };
}

/** The answer of a server as the outcome of a call. */
export function answeredRemotely(call: ToolCall, answer: InvokeResult): ToolOutcome {
  const result = fromMcpResult(answer);
  return {
    id: call.id,
    output: foldContent(result.content),
    isError: answer.isError,
    result,
    wire: answer.wire,
    ...(answer.suspended ? { suspended: answer.suspended } : {}),
    ...(answer.task ? { task: answer.task } : {}),
  };
}

function faultedRemotely(call: ToolCall, ref: RemoteToolRef, thrown: unknown): ToolOutcome {
  const fault = isProtocolFault(thrown)
    ? thrown
    : new ProtocolFault(
        "tool_error",
        `tool "${ref.name}" of server "${ref.server}" failed: ${describeError(thrown)}`,
        { server: ref.server, cause: thrown },
      );
  return faultOutcome(call.id, fault.message, fault.toToolFault());
}
