import { type DefinedTool, givenSignal, type ToolContext } from "../../capabilities/index.ts";
import { describeError } from "../../core/index.ts";
import {
  abortedOutcome,
  faultOutcome,
  foldContent,
  type ToolCall,
  type ToolOutcome,
} from "../../runtime/index.ts";
import { fromMcpResult } from "../content/index.ts";
import {
  type InvokeResult,
  isProtocolFault,
  isUsablePhase,
  type Lease,
  ProtocolFault,
  type RemoteTool,
  type ServerFleet,
} from "../contract/index.ts";

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

/** A call that certainly did not run, on an endpoint that is over, is tried once more on the one that follows it. */
async function callOnce(
  fleet: ServerFleet,
  tool: RemoteTool,
  call: ToolCall,
  ctx: ToolContext,
): Promise<InvokeResult> {
  const lease = await acquire(fleet, tool, ctx);
  try {
    return await callLeased(lease, tool, call, ctx);
  } catch (thrown) {
    const isSafe = isProtocolFault(thrown) && thrown.retrySafe && !givenSignal(ctx)?.aborted;
    if (!isSafe || isUsablePhase(lease.endpoint.phase)) throw thrown;
  }
  return callLeased(await acquire(fleet, tool, ctx), tool, call, ctx);
}

function acquire(fleet: ServerFleet, { ref }: RemoteTool, ctx: ToolContext): Promise<Lease> {
  const { caller } = ctx;
  const signal = givenSignal(ctx);
  return fleet.acquire(ref.server, { ...(signal ? { signal } : {}), ...(caller ? { caller } : {}) });
}

async function callLeased(
  lease: Lease,
  { ref }: RemoteTool,
  call: ToolCall,
  ctx: ToolContext,
): Promise<InvokeResult> {
  const { caller } = ctx;
  const signal = givenSignal(ctx);
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
  const result = fromMcpResult(answer);
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
