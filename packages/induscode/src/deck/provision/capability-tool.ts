import { defineTool, type SessionContext, type ToolContext } from "indusagi/capabilities";
import { describeError, joinSignals } from "indusagi/core";
import {
  abortedOutcome,
  answeredOutcome,
  type Caller,
  failureResult,
  type TableTool,
  type ToolCall,
  type ToolOutcome,
} from "indusagi/runtime";
import type { Capability } from "../contract/index.ts";

/** A capability as a tool of a box. All its calls belong to one session. */
export function capabilityTool(capability: Capability, session: SessionContext): TableTool {
  const invoke = capability.invoke?.bind(capability);
  const answer = invoke ? guarded(invoke) : fromResult(capability);
  return {
    descriptor: capability.descriptor,
    run: async (call, signal, caller) => answer(call, callContext(session, call, signal, caller)),
  };
}

type Answer = (call: ToolCall, ctx: ToolContext) => Promise<ToolOutcome>;

/** The outcome of `invoke`, unchanged. One that rejects against its contract must not break the box's. */
function guarded(invoke: Answer): Answer {
  return async (call, ctx) => {
    try {
      return await invoke(call, ctx);
    } catch (thrown) {
      if (ctx.signal.aborted) return abortedOutcome(call.id, call.name, true);
      return answeredOutcome(call.id, failureResult(`${call.name} failed: ${describeError(thrown)}`));
    }
  };
}

/** A capability with `run` alone gets the rest from the kernel: coercion, aborts, caught errors. */
function fromResult(capability: Capability): Answer {
  const { name, description, parameters } = capability.descriptor;
  const run = (input: unknown, ctx: ToolContext) => capability.run(input, ctx);
  const tool = defineTool({ name, description, parameters, run });
  return (call, ctx) => tool.invoke(call, ctx);
}

/** The session's own objects are the same in every call: tools keep their state by them. */
function callContext(
  session: SessionContext,
  call: ToolCall,
  signal: AbortSignal | undefined,
  caller: Caller | undefined,
): ToolContext {
  const { contextId, cwd, fs, shell, budget, framework } = session;
  const given = session.signal || signal ? joinSignals(session.signal, signal) : undefined;
  return {
    contextId,
    cwd,
    fs,
    shell,
    budget,
    framework,
    signal: given ?? new AbortController().signal,
    call,
    ...(caller ? { caller } : {}),
  };
}
