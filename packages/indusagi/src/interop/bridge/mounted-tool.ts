import { describeError } from "../../core/index.ts";
import { releaseSignal } from "../../core/internal.ts";
import {
  abortedOutcome,
  faultOutcome,
  foldContent,
  type Tool,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
} from "../../runtime/index.ts";
import { fromMcpResult } from "../content/index.ts";
import {
  type ExtensionKey,
  type InvokeResult,
  isProtocolFault,
  ProtocolFault,
  type RemoteTool,
  type RemoteToolRef,
  type ServerFleet,
} from "../contract/index.ts";
import { isWorthRepeating } from "../fleet/index.ts";

/** A remote tool as an entry of a box. It is bound to the fleet and the server's id, never to one connection. */
export function mountedTool(fleet: ServerFleet, tool: RemoteTool, extensions?: ExtensionKey): Tool {
  const { ref, descriptor, definition } = tool;
  const { server } = ref;
  const listed = { name: ref.name, extensions };
  // As in `runLeased`, without its promises and closures, because every call runs through it.
  const run: Tool["run"] = async (call, signal, caller) => {
    if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
    const { input, meta, task } = call;
    const options = { definition, meta, task, signal, caller, tool: listed };
    try {
      for (let tries = 1; ; tries++) {
        const lease = fleet.tryAcquire?.(server, options) ?? (await fleet.acquire(server, options));
        try {
          const answer = await lease.endpoint.invoke(ref.name, input, options);
          const outcome = answeredRemotely(call, answer);
          if (!answer.task) return outcome;
          // Whoever passes the task on needs its server, also if the call came through a tool that calls others.
          return { ...outcome, result: { ...outcome.result, origin: { server, tool: ref.name } } };
        } catch (thrown) {
          if (tries > 1 || !isWorthRepeating(thrown, lease, options)) throw thrown;
        } finally {
          lease.release();
        }
      }
    } catch (thrown) {
      if (signal?.aborted) return abortedOutcome(call.id, call.name, true);
      return faultedRemotely(call, ref, thrown);
    } finally {
      releaseSignal(signal);
    }
  };
  return { descriptor, run };
}

/** The answer of a server as the outcome of a call. */
export function answeredRemotely(call: ToolCall, answer: InvokeResult): ToolOutcome {
  if (answer.wire.bytes) return unparsedOutcome(call, answer);
  const result = fromMcpResult(answer);
  const { isError, wire, suspended, task } = answer;
  const outcome = { id: call.id, output: foldContent(result.content), isError, result, wire };
  if (!suspended && !task) return outcome;
  return { ...outcome, ...(suspended && { suspended }), ...(task && { task }) };
}

/** The outcome of a large result, which is not parsed before somebody reads it. */
function unparsedOutcome({ id }: ToolCall, answer: InvokeResult): ToolOutcome {
  let result: ToolResult | undefined;
  return {
    id,
    isError: answer.isError,
    wire: answer.wire,
    get result() {
      result ??= fromMcpResult(answer);
      return result;
    },
    get output() {
      return foldContent(this.result.content);
    },
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
