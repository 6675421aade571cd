import type { Caller, ToolCall } from "../../runtime/index.ts";
import type { SessionContext, ToolContext } from "../contract/index.ts";

/** The same session with another signal. Everything that makes up the session's identity stays. */
export function withSignal<Context extends SessionContext>(
  ctx: Context,
  signal: AbortSignal,
): Context & { signal: AbortSignal } {
  return { ...ctx, signal };
}

/** The context of one call in a session. */
export function forCall(
  session: SessionContext,
  call: ToolCall,
  signal?: AbortSignal,
  caller?: Caller,
): ToolContext {
  const { contextId, cwd, fs, shell, budget, framework } = session;
  const base = {
    contextId,
    cwd,
    fs,
    shell,
    budget,
    framework,
    call,
    signal: signalFor(session.signal, signal),
  };
  return caller ? { ...base, caller } : base;
}

/** A call nobody can abort has a signal of its own all the same: one shared by all calls would gather their listeners. */
function signalFor(session: AbortSignal | undefined, call: AbortSignal | undefined): AbortSignal {
  if (session && call) return AbortSignal.any([session, call]);
  return call ?? session ?? new AbortController().signal;
}
