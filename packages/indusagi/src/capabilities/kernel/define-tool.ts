import { describeError, joinSignals, untilAborted } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import { explainMismatch } from "../../llm/arguments/index.ts";
import type { ToolAnnotations, ToolDescriptor } from "../../llm/index.ts";
import {
  abortedOutcome,
  answeredOutcome,
  type Caller,
  failureResult,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
} from "../../runtime/index.ts";
import { type NativeName, READ_ONLY_NAMES, takeArguments } from "../../runtime/internal.ts";
import {
  type DefinedTool,
  FsError,
  type SessionContext,
  type ToolContext,
  type ToolSpec,
} from "../contract/index.ts";
import { clamp } from "./budget.ts";

/** Makes a tool from a spec. It has one frozen descriptor, coerces its arguments and never throws. */
export function defineTool(spec: ToolSpec): DefinedTool {
  const descriptor = describe(spec);

  const invoke = async (call: ToolCall, ctx: ToolContext): Promise<ToolOutcome> => {
    const signal = abortSignalOf(ctx);
    if (signal?.aborted) return abortedOutcome(call.id, spec.name, false);
    try {
      const running = spec.run(takeArguments(call, spec.parameters), ctx);
      const result = running instanceof Promise ? await untilAborted(running, signal) : running;
      return answeredOutcome(call.id, result);
    } catch (thrown) {
      if (signal?.aborted) return abortedOutcome(call.id, spec.name, true);
      return answeredOutcome(call.id, failureResult(`${spec.name} failed: ${shortReason(thrown)}`));
    }
  };

  return {
    name: spec.name,
    description: spec.description,
    parameters: spec.parameters,
    descriptor: () => descriptor,
    invoke,
    execute: async (input, ctx): Promise<ToolResult> => (await invoke({ ...ctx.call, input }, ctx)).result,
  };
}

/** Some error messages repeat the whole input: keep both ends. */
function shortReason(thrown: unknown): string {
  return clamp(describeError(thrown), {
    kind: "middle",
    maxBytes: 800,
    notice: (omitted) => ` [... ${omitted} bytes omitted ...] `,
  });
}

function describe(spec: ToolSpec): ToolDescriptor {
  const { name, description, parameters, title, annotations, outputSchema } = spec;
  return Object.freeze(definedMembers({ name, description, parameters, title, annotations, outputSchema }));
}

/** A spec whose `run` gets arguments that fit `parameters`. */
interface NativeToolSpec<Input> extends Omit<ToolSpec, "run"> {
  readonly name: NativeName;
  /** `readOnlyHint` is set from the list of read-only names. */
  readonly annotations: Omit<ToolAnnotations, "readOnlyHint">;
  run(input: Input, ctx: ToolContext): Promise<ToolResult>;
}

/**
 * Makes one of our own tools. Arguments that do not fit the schema, and refusals of the file system, are error results
 * that name the field or the path.
 */
export function defineNativeTool<Input>(spec: NativeToolSpec<Input>): DefinedTool {
  return defineTool({
    ...spec,
    annotations: { readOnlyHint: READ_ONLY_NAMES.includes(spec.name), ...spec.annotations },
    run: async (input, ctx) => {
      const mismatch = explainMismatch(spec.parameters, input);
      if (mismatch !== undefined) return failureResult(`${spec.name}: ${mismatch}`);
      try {
        return await spec.run(input as Input, ctx);
      } catch (thrown) {
        if (thrown instanceof FsError) return failureResult(`${spec.name}: ${thrown.message}`);
        throw thrown;
      }
    },
  });
}

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
function abortSignalOf(ctx: ToolContext): AbortSignal | undefined {
  return ABORT in ctx ? (ctx as CallContext)[ABORT] : ctx.signal;
}

function eitherSignal(
  session: AbortSignal | undefined,
  call: AbortSignal | undefined,
): AbortSignal | undefined {
  return session || call ? joinSignals(session, call) : undefined;
}
