import { errorCode } from "../core-error.ts";
import { startTree } from "../process-tree/index.ts";
import { joinSignals } from "../signals/join-signals.ts";
import { untilAborted } from "../signals/settles-within.ts";
import { describeExit, showDuration } from "../text/show-duration.ts";
import type { Environment } from "./safe-env.ts";

export interface ReadCommandOptions {
  readonly env: Environment;
  readonly cwd?: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** The standard output of a command, or a clause that explains why there is none. The clause contains no output. */
export type CommandReading = { readonly text: string } | { readonly problem: string };

/**
 * Runs a program from an argument list and returns its standard output. Ends its whole process tree when it exits, times
 * out or writes too much. Discards standard error. Rejects only with the signal's reason.
 */
export async function readCommand(
  [program = "", ...args]: readonly string[],
  options: ReadCommandOptions,
): Promise<CommandReading> {
  const { env, cwd, timeoutMs, maxBytes } = options;
  const chunks: Buffer[] = [];
  const tooMuch = new AbortController();
  let bytes = 0;
  const onStdout = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else tooMuch.abort();
  };
  options.signal?.throwIfAborted();
  const started = await startTree(program, args, { env, onStdout, ...(cwd !== undefined && { cwd }) }).catch(
    (thrown: unknown) => ({ problem: `cannot be started (${codeOf(thrown)})` }),
  );
  if ("problem" in started) return started;
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const { code, signal } = await untilAborted(
      started.gone,
      joinSignals(late, tooMuch.signal, options.signal),
    );
    if (bytes > maxBytes) return { problem: `wrote more than ${maxBytes} bytes` };
    if (code !== 0) return { problem: `failed (${describeExit({ code, ...(signal && { signal }) })})` };
    return decoded(Buffer.concat(chunks));
  } catch {
    options.signal?.throwIfAborted();
    if (bytes > maxBytes) return { problem: `wrote more than ${maxBytes} bytes` };
    return { problem: `did not end within ${showDuration(timeoutMs)}` };
  } finally {
    await started.end({ graceMs: 200 });
  }
}

function decoded(bytes: Buffer): CommandReading {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "wrote something that is not UTF-8 text" };
  }
}

/** The code of a failed start; it is on the cause. */
function codeOf(thrown: unknown): string {
  return errorCode(thrown) ?? errorCode((thrown as { readonly cause?: unknown }).cause) ?? "unknown error";
}
