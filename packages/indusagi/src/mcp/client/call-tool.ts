import { callListener, onAbort, showDuration } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import {
  type InvokeResult,
  isProtocolFault,
  ProtocolFault,
  type ToolDefinition,
} from "../../interop/index.ts";
import type { Caller, ProgressNote } from "../../runtime/index.ts";
import type { MCPError } from "../errors/index.ts";
import type { ClientCore, ReadyConnection } from "./client-core.ts";
import { metaOf } from "./request-server.ts";
import { toolCallTimes } from "./translate-config.ts";

export interface ClientCall {
  readonly name: string;
  readonly args: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((note: ProgressNote) => void) | undefined;
  /** Milliseconds. Default: the client's timeout. */
  readonly timeout?: number | undefined;
  /** Default: the client's own caller. */
  readonly caller?: Caller | undefined;
  readonly meta?: { readonly [key: string]: unknown } | undefined;
  /** The tool's definition, if it is known. */
  readonly definition?: ToolDefinition | undefined;
}

/** Calls a tool. Rejects with an `MCPError`, or with the reason of the caller's signal. */
export async function callTool(core: ClientCore, call: ClientCall): Promise<InvokeResult> {
  const { signal } = call;
  signal?.throwIfAborted();
  let used: ReadyConnection | undefined;
  const attempt = (): Promise<InvokeResult> =>
    core.use((ready) => {
      used = ready;
      return callOn(ready, core, call);
    }, signal);
  try {
    return await attempt();
  } catch (thrown) {
    if (signal?.aborted || !used || !core.canRepeat(thrown, used)) throw thrown;
  }
  return attempt();
}

async function callOn(ready: ReadyConnection, core: ClientCore, call: ClientCall): Promise<InvokeResult> {
  const { name, args, signal, definition, caller = core.caller } = call;
  const { timeoutMs, totalMs } = toolCallTimes(name, call.timeout, core.timeout);
  const meta = metaOf(core, ready.session, call.meta);
  const deadline = new CallDeadline({
    idleMs: timeoutMs,
    totalMs,
    signal,
    late: (ms) => lateFault(core, name, ms),
  });
  try {
    const onProgress = (note: ProgressNote, progressToken?: number): void => {
      deadline.renew();
      reportProgress(core, call, { ...note, progressToken });
    };
    const options = { signal: deadline.signal, caller, onProgress, meta, definition };
    const result = await ready.endpoint.invoke(name, args, definedMembers(options));
    if (result.isError && (await isUnknown(ready, name))) throw notFound(core, name, { result: result.raw });
    return result;
  } catch (thrown) {
    const isRefused = isProtocolFault(thrown) && thrown.rpc !== undefined;
    if (isRefused && (await isUnknown(ready, name))) throw notFound(core, name, { rpc: thrown.rpc }, thrown);
    throw core.translate(thrown, { site: "call", toolName: name, signal });
  } finally {
    deadline.stop();
  }
}

function reportProgress(
  core: ClientCore,
  { name: toolName, onProgress }: ClientCall,
  { progressToken, ...note }: ProgressNote & { readonly progressToken: number | undefined },
): void {
  const { handlers, serverName, options } = core;
  callListener(onProgress, note);
  callListener(handlers.progress, definedMembers({ ...note, serverName, toolName, progressToken }));
  if (!options.enableProgressTracking) return;
  const { progress, total, message } = note;
  const position = total === undefined ? String(progress) : `${progress} of ${total}`;
  core.note("debug", `tool "${toolName}": ${position}${message === undefined ? "" : `, ${message}`}`);
}

/** Servers report an unknown tool in many ways, so their list decides. */
async function isUnknown({ endpoint }: ReadyConnection, name: string): Promise<boolean> {
  try {
    const { tools, truncated } = await endpoint.listing();
    return !truncated && !tools.some(({ ref }) => ref.name === name);
  } catch {
    return false;
  }
}

function notFound(core: ClientCore, toolName: string, details: object, cause?: unknown): MCPError {
  const message = `there is no tool "${toolName}" on server "${core.serverName}"; listTools() returns the existing ones`;
  return core.error("TOOL_NOT_FOUND", message, { details, toolName, cause });
}

function lateFault({ serverName: server }: ClientCore, name: string, ms: number): ProtocolFault {
  return new ProtocolFault(
    "timeout",
    `tool "${name}" of server "${server}" did not answer within ${showDuration(ms)}`,
    { server },
  );
}

interface CallDeadlineOptions {
  /** The time until the answer. `renew` restarts it. */
  readonly idleMs: number;
  /** The time until the answer that `renew` does not restart. */
  readonly totalMs: number;
  /** The caller's signal, which ends the call too. */
  readonly signal?: AbortSignal | undefined;
  /** Creates the error if the time is up. */
  readonly late: (ms: number) => Error;
}

/**
 * Ends one call when its time is up or its caller aborts. It covers the whole call: all its requests, and the time it takes
 * to answer its questions. Call `stop` when the call is over.
 */
class CallDeadline {
  readonly #options: CallDeadlineOptions;
  readonly #abort = new AbortController();
  readonly #stopListening: () => void;
  readonly #endsAtMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CallDeadlineOptions) {
    this.#options = options;
    this.#endsAtMs = performance.now() + options.totalMs;
    this.#stopListening = options.signal
      ? onAbort(options.signal, (reason) => this.#abort.abort(reason))
      : () => {};
    this.renew();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  renew(): void {
    clearTimeout(this.#timer);
    const { idleMs, totalMs, late } = this.#options;
    const leftMs = this.#endsAtMs - performance.now();
    const isTotal = leftMs < idleMs;
    this.#timer = setTimeout(
      () => this.#abort.abort(late(isTotal ? totalMs : idleMs)),
      Math.max(0, Math.min(idleMs, leftMs)),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#stopListening();
  }
}
