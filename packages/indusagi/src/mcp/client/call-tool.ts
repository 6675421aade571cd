import { callListener, showDuration } from "../../core/index.ts";
import { type InvokeResult, isProtocolFault, ProtocolFault } from "../../interop/index.ts";
import type { Caller, ProgressNote } from "../../runtime/index.ts";
import type { MCPCallOptions } from "../contract/index.ts";
import type { MCPError } from "../errors/index.ts";
import { CallDeadline } from "./call-deadline.ts";
import type { ClientCore, ReadyConnection } from "./client-core.ts";
import { callTimes } from "./client-timeouts.ts";
import { metaOf } from "./request-server.ts";

export interface ClientCall extends MCPCallOptions {
  readonly name: string;
  readonly args: unknown;
  /** Default: the client's own caller. */
  readonly caller?: Caller;
  readonly meta?: { readonly [key: string]: unknown };
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
  const { name, args, signal, caller = core.caller } = call;
  const { timeoutMs, totalMs } = callTimes(name, call.timeout, core.timeout);
  const meta = metaOf(core, ready.session, call.meta);
  const deadline = new CallDeadline({
    idleMs: timeoutMs,
    totalMs,
    signal,
    late: (ms) => lateFault(core, name, ms),
  });
  try {
    const result = await ready.endpoint.invoke(name, args, {
      signal: deadline.signal,
      caller,
      onProgress: (note, token) => {
        deadline.renew();
        reportProgress(core, call, token === undefined ? note : { ...note, progressToken: token });
      },
      ...(meta ? { meta } : {}),
    });
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
  { progressToken, ...note }: ProgressNote & { readonly progressToken?: number },
): void {
  const { handlers, serverName, options } = core;
  callListener(onProgress, note);
  const event = { ...note, serverName, toolName };
  callListener(handlers.progress, progressToken === undefined ? event : { ...event, progressToken });
  if (!options.enableProgressTracking) return;
  const { progress, total, message } = note;
  const position = total === undefined ? String(progress) : `${progress} of ${total}`;
  core.note("debug", `tool "${toolName}": ${position}${message === undefined ? "" : `, ${message}`}`);
}

/** Servers report an unknown tool in many ways, so their own list decides. */
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
    {
      server,
    },
  );
}
