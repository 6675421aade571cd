import { lstat, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { mintUlid, type OutputListener, type ProcessTree, type TreeEnd } from "../../../core/index.ts";
import { definedMembers } from "../../../core/internal.ts";
import type { ShellExecOptions, ShellResult, ShellStream } from "../../contract/index.ts";
import { createEndsBuffer, type EndsBuffer, keptText } from "./both-ends.ts";
import { type CaptureFile, openCaptureFile } from "./capture-file.ts";
import { createOutputTap, type LocalShellOptions, launchShell } from "./launch-shell.ts";

/** Runs a command line to its end, in bounded memory and time. */
export async function execLocally(
  command: string,
  options: ShellExecOptions,
  shell: LocalShellOptions,
): Promise<ShellResult> {
  const { cwd, env, wrap, signal, input, maxBytes = DEFAULT_MAX_BYTES } = options;
  signal?.throwIfAborted();
  const kept = { stdout: createEndsBuffer(maxBytes), stderr: createEndsBuffer(maxBytes) };
  const spill = options.spillDir === undefined ? undefined : createSpill(options.spillDir);
  const tap = createOutputTap(options);
  const listen =
    (stream: ShellStream): OutputListener =>
    (chunk) => {
      tap.write(stream, chunk);
      return keep(kept[stream], spill, chunk, maxBytes);
    };

  const tree = await launchShell(
    command,
    definedMembers({
      cwd,
      env,
      wrap,
      stdin: input === undefined ? ("ignore" as const) : ("pipe" as const),
      onStdout: listen("stdout"),
      onStderr: listen("stderr"),
    }),
    shell,
  );
  if (input !== undefined) void tree.write(input);
  tree.closeInput();

  const { end, timedOut } = await untilEnd(tree, options);
  tap.end();
  if (signal?.aborted) await spill?.discard();
  signal?.throwIfAborted();
  const spillPath = await spill?.close();
  return resultOf(end, kept, { timedOut, spillPath });
}

const DEFAULT_MAX_BYTES = 64 * 1024;
/** Grace period for a command that timed out or was aborted. */
const STOP_GRACE_MS = 500;

function keep(
  ends: EndsBuffer,
  spill: Spill | undefined,
  chunk: Uint8Array,
  maxBytes: number,
): Promise<void> | undefined {
  ends.push(chunk);
  return spill?.push(chunk, ends.total > maxBytes);
}

/** Writes the whole output to a file once it does not fit into memory. */
interface Spill {
  /** Adds a chunk. If it returns a promise, wait for it before the next chunk. */
  push(chunk: Uint8Array, overflows: boolean): Promise<void> | undefined;
  /** Resolves with the path of the complete file, if there is one. */
  close(): Promise<string | undefined>;
  /** Removes the file, if there is one. Never rejects. */
  discard(): Promise<void>;
}

/** Creates no file until the output overflows; then the file contains all output from the first byte, in order. */
function createSpill(dir: string): Spill {
  let waiting: Uint8Array[] | undefined = [];
  let file: Promise<CaptureFile | undefined> | undefined;

  const start = async (soFar: readonly Uint8Array[]): Promise<CaptureFile | undefined> => {
    const opened = await openSpillFile(dir);
    for (const chunk of soFar) await opened?.append(chunk);
    return opened;
  };

  const close = async (): Promise<string | undefined> => {
    const opened = await file;
    await opened?.close();
    return opened?.path;
  };

  return {
    push(chunk, overflows) {
      if (waiting && !overflows) {
        // A copy, because the chunk may be a small part of a large buffer.
        waiting.push(Uint8Array.from(chunk));
        return undefined;
      }
      file ??= start(waiting ?? []);
      waiting = undefined;
      return file.then((opened) => opened?.append(chunk));
    },
    close,
    async discard() {
      const path = await close();
      if (path !== undefined) await rm(path, { force: true }).catch(() => {});
    },
  };
}

/** Without a file the command still runs; its result counts the omitted bytes. */
async function openSpillFile(dir: string): Promise<CaptureFile | undefined> {
  try {
    // Not recursive: Node's recursive mkdir never returns in places like /proc.
    await mkdir(dir, { mode: 0o700 }).catch(() => {});
    // A link would redirect the output to another place.
    if (!(await lstat(dir)).isDirectory()) return undefined;
    return await openCaptureFile(join(dir, `output-${mintUlid()}.txt`));
  } catch {
    return undefined;
  }
}

interface EndedRun {
  readonly end: TreeEnd;
  readonly timedOut: boolean;
}

/** Waits until no process of the tree is left; ends the tree when the time is up or the signal aborts. */
function untilEnd(tree: ProcessTree, { signal, timeoutMs }: ShellExecOptions): Promise<EndedRun> {
  return new Promise((resolve) => {
    let timedOut = false;
    const settle = (end: TreeEnd): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve({ end, timedOut });
    };
    const stop = (): void => void tree.end({ graceMs: STOP_GRACE_MS }).then(settle);
    const onTimeout = (): void => {
      timedOut = true;
      stop();
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
    // The limit is for the command itself; ending its leftovers does not count.
    void tree.exited.then(() => clearTimeout(timer));
    void tree.gone.then(settle);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}

interface Extras {
  readonly timedOut: boolean;
  readonly spillPath: string | undefined;
}

function resultOf(
  end: TreeEnd,
  kept: { readonly stdout: EndsBuffer; readonly stderr: EndsBuffer },
  { timedOut, spillPath }: Extras,
): ShellResult {
  const stdout = keptText(kept.stdout);
  const stderr = keptText(kept.stderr);
  const omittedBytes = stdout.omittedBytes + stderr.omittedBytes;
  const isCut = omittedBytes > 0;
  return definedMembers({
    stdout: stdout.text,
    stderr: stderr.text,
    code: end.code,
    signal: end.signal ?? undefined,
    timedOut: timedOut || undefined,
    omittedBytes: isCut ? omittedBytes : undefined,
    spillPath: isCut ? spillPath : undefined,
  });
}
