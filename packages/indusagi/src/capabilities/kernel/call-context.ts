import { joinSignals } from "../../core/index.ts";
import type { Caller, ToolCall } from "../../runtime/index.ts";
import type { SessionContext, ToolContext } from "../contract/index.ts";

/** The same session with another signal. Everything that makes up the session's identity stays. */
export function withSignal<Context extends SessionContext>(
  ctx: Context,
  signal: AbortSignal,
): Context & { readonly signal: AbortSignal } {
  return { ...ctx, signal };
}

const GIVEN: unique symbol = Symbol("given signal");

interface CallContext extends ToolContext {
  readonly [GIVEN]: AbortSignal | undefined;
}

/**
 * The context of one call in a session. A call that nobody can abort has a signal all the same, of its own, because one
 * shared by all calls would gather their listeners; it is made when a tool looks at it, which few do.
 */
export function forCall(
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
    [GIVEN]: given,
    get signal() {
      own ??= given ?? new AbortController().signal;
      return own;
    },
  };
  return context;
}

/** The signal that can abort a call, or nothing when nobody can: then there is nothing to listen to. */
export function givenSignal(ctx: ToolContext): AbortSignal | undefined {
  return GIVEN in ctx ? (ctx as CallContext)[GIVEN] : ctx.signal;
}

function eitherSignal(
  session: AbortSignal | undefined,
  call: AbortSignal | undefined,
): AbortSignal | undefined {
  return session || call ? joinSignals(session, call) : undefined;
}
