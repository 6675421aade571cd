import type { Caller, ToolCall } from "../../runtime/index.ts";
import type { SessionContext, ToolContext } from "../contract/index.ts";

/** The same session with another signal. Everything that makes up the session's identity stays. */
export function withSignal<Context extends SessionContext>(ctx: Context, signal: AbortSignal): Context {
  return { ...ctx, signal };
}

/** The context of one call in a session. */
export function forCall(session: SessionContext, call: ToolCall, signal?: AbortSignal, caller?: Caller): ToolContext {
  const { contextId, cwd, fs, shell, budget, framework } = session;
  const base = { contextId, cwd, fs, shell, budget, framework, call, signal: joinSignals(session.signal, signal) };
  return caller ? { ...base, caller } : base;
}

function joinSignals(session: AbortSignal, call: AbortSignal | undefined): AbortSignal {
  return call ? AbortSignal.any([session, call]) : session;
}
