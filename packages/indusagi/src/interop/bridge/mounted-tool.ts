import { type DefinedTool, givenSignal, type ToolContext } from "../../capabilities/index.ts";
import { describeError } from "../../core/index.ts";
import {
  abortedOutcome,
  faultOutcome,
  foldContent,
  type ToolCall,
  type ToolOutcome,
} from "../../runtime/index.ts";
import {
  type InvokeResult,
  isProtocolFault,
  ProtocolFault,
  type RemoteTool,
  type ServerFleet,
} from "../contract/index.ts";
import { projectContent } from "./project-content.ts";

/** A remote tool as a tool of the kernel. It is bound to the fleet and the server's id, never to one connection. */
export function mountedTool(fleet: ServerFleet, tool: RemoteTool): DefinedTool {
  const { descriptor } = tool;
  const invoke = (call: ToolCall, ctx: ToolContext): Promise<ToolOutcome> =>
    callRemote(fleet, tool, call, ctx);
  return {
    name: descriptor.name,
    description: descriptor.description,
    parameters: descriptor.parameters,
    descriptor: () => descriptor,
    invoke,
    execute: async (input, ctx) => (await invoke({ ...ctx.call, input }, ctx)).result,
  };
}

async function callRemote(
  fleet: ServerFleet,
  tool: RemoteTool,
  call: ToolCall,
  ctx: ToolContext,
): Promise<ToolOutcome> {
  const signal = givenSignal(ctx);
  if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
  try {
    return answeredRemotely(call, await callOnce(fleet, tool, call, ctx));
  } catch (thrown) {
    if (signal?.aborted) return abortedOutcome(call.id, call.name, true);
    return faultedRemotely(call, tool, thrown);
  }
}

/** A call that certainly did not run is tried once more, on whatever endpoint the fleet has by then. */
async function callOnce(
  fleet: ServerFleet,
  tool: RemoteTool,
  call: ToolCall,
  ctx: ToolContext,
): Promise<InvokeResult> {
  try {
    return await callLeased(fleet, tool, call, ctx);
  } catch (thrown) {
    const isWorthwhile =
      isProtocolFault(thrown) &&
      thrown.retrySafe &&
      thrown.reason === "session_lost" &&
      !givenSignal(ctx)?.aborted;
    if (!isWorthwhile) throw thrown;
    return callLeased(fleet, tool, call, ctx);
  }
}

async function callLeased(
  fleet: ServerFleet,
  { ref }: RemoteTool,
  call: ToolCall,
  ctx: ToolContext,
): Promise<InvokeResult> {
  const { caller } = ctx;
  const signal = givenSignal(ctx);
  const lease = await fleet.acquire(ref.server, {
    ...(signal ? { signal } : {}),
    ...(caller ? { caller } : {}),
  });
  try {
    return await lease.endpoint.invoke(ref.name, call.input, {
      ...(signal ? { signal } : {}),
      ...(caller ? { caller } : {}),
      ...(call.meta ? { meta: call.meta } : {}),
    });
  } finally {
    lease.release();
  }
}

function answeredRemotely(call: ToolCall, answer: InvokeResult): ToolOutcome {
  const result = projectContent(answer);
  return {
    id: call.id,
    output: foldContent(result.content),
    isError: answer.isError,
    result,
    wire: answer.wire,
    ...(answer.suspended ? { suspended: answer.suspended } : {}),
  };
}

function faultedRemotely(call: ToolCall, { ref }: RemoteTool, thrown: unknown): ToolOutcome {
  const fault = isProtocolFault(thrown)
    ? thrown
    : new ProtocolFault(
        "tool_error",
        `tool "${ref.name}" of server "${ref.server}" failed: ${describeError(thrown)}`,
        { server: ref.server, cause: thrown },
      );
  return faultOutcome(call.id, fault.message, fault.toToolFault());
}
