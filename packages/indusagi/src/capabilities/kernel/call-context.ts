import { joinSignals } from "../../core/index.ts";
import type { Caller, ToolCall } from "../../runtime/index.ts";
import type { SessionContext, ToolContext } from "../contract/index.ts";

/** The same session with another signal. The session's identity does not change. */
export function withSignal<Context extends SessionContext>(
  ctx: Context,
  signal: AbortSignal,
): Context & { readonly signal: AbortSignal } {
  return { ...ctx, signal };
}

const ABORT: unique symbol = Symbol("abort signal");

interface CallContext extends ToolContext {
  readonly [ABORT]: AbortSignal | undefined;
}

/**
 * The context of one call in a session. A call that cannot be aborted gets its own signal, because a shared one would
 * collect the listeners of all calls. It is created when a tool reads it, which few do.
 */
export function callContext(
  session: SessionContext,
  call: ToolCall,
  signal?: AbortSignal,
  caller?: Caller,
): ToolContext {
  const { contextId, cwd, fs, shell, budget, framework } = session;
  const given = eitherSignal(session.signal, signal);
  let own: AbortSignal | undefined;
  const context: CallContext = {
    contextId,
    cwd,
    fs,
    shell,
    budget,
    framework,
    call,
    ...(caller ? { caller } : {}),
    [ABORT]: given,
    get signal() {
      own ??= given ?? new AbortController().signal;
      return own;
    },
  };
  return context;
}

/** The signal that can abort a call; undefined if nothing can, so no listener is needed. */
export function abortSignalOf(ctx: ToolContext): AbortSignal | undefined {
  return ABORT in ctx ? (ctx as CallContext)[ABORT] : ctx.signal;
}

function eitherSignal(
  session: AbortSignal | undefined,
  call: AbortSignal | undefined,
): AbortSignal | undefined {
  return session || call ? joinSignals(session, call) : undefined;
}
