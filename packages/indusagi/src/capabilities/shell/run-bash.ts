import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CoreError, describeError, errorCode, mintUlid, plainText, showDuration } from "../../core/index.ts";
import { type Caller, failureResult, type ToolResult, textResult } from "../../runtime/index.ts";
import type { Framework, Fs, ShellResult, ToolContext } from "../contract/index.ts";
import { shownPath } from "../file/paths/tool-path.ts";
import { captureFolder, ensureCaptureFolder, removeCaptures } from "./capture-folder.ts";
import { isSuccess, outputSections, statusLine } from "./command-report.ts";

export interface BashInput {
  readonly command: string;
  readonly timeoutMs?: number;
  readonly cwd?: string;
}

type TimedInput = BashInput & { readonly timeoutMs: number };

export async function runBash(input: TimedInput, ctx: ToolContext): Promise<ToolResult> {
  const feed = startProgressFeed(ctx.caller);
  try {
    const result = await runCommand(input, ctx, feed);
    feed?.finish();
    return await report(result, input, ctx);
  } catch (thrown) {
    if (ctx.signal.aborted || !CoreError.is(thrown)) throw thrown;
    return failureResult(`bash: ${thrown.message}`);
  } finally {
    feed?.finish();
  }
}

function runCommand(
  input: TimedInput,
  ctx: ToolContext,
  feed: ProgressFeed | undefined,
): Promise<ShellResult> {
  const { kind, maxBytes } = ctx.budget;
  return ctx.shell.exec(input.command, {
    cwd: resolve(ctx.cwd, input.cwd ?? "."),
    timeoutMs: input.timeoutMs,
    signal: ctx.signal,
    // The shell keeps both ends, half each. If the budget keeps one end only, ask for twice as much.
    maxBytes: kind === "middle" ? maxBytes : 2 * maxBytes,
    spillDir: ctx.framework.outputPlace?.folder ?? captureFolder(ctx),
    ...(feed ? { onOutput: (_stream, text) => feed.add(text) } : {}),
  });
}

async function report(result: ShellResult, input: TimedInput, ctx: ToolContext): Promise<ToolResult> {
  const { text, omittedBytes } = outputSections(result, ctx.budget);
  const status = statusLine(result, input.timeoutMs);
  const note = omittedBytes > 0 ? `\n${await omissionNote(result, omittedBytes, ctx)}` : "";
  const answer = `${text}${status}${note}`;
  return isSuccess(result) && !result.timedOut ? textResult(answer) : failureResult(answer);
}

async function omissionNote(result: ShellResult, omittedBytes: number, ctx: ToolContext): Promise<string> {
  const omitted = `[output] ${omittedBytes} bytes omitted above`;
  const place = ctx.framework.outputPlace;
  try {
    if (!place) await ensureCaptureFolder(ctx);
    const path = result.spillPath ?? (await writeWhole(result, ctx));
    if (path === undefined) return `${omitted}; they could not be kept`;
    if (!place) removeWithSession(ctx, path);
    const how = place?.howToRead?.(path) ?? "read it in parts, or grep it";
    return `${omitted}; the whole output, up to 64 MiB, is in ${shownPath(ctx, path)}: ${how}`;
  } catch (thrown) {
    const problem = CoreError.is(thrown) ? thrown.message : errorCode(thrown) && describeError(thrown);
    if (problem !== undefined) return `${omitted}; they could not be kept: ${problem}`;
    throw thrown;
  }
}

/** The shell made no file because each stream fitted into memory, but both do not fit into the answer. */
async function writeWhole(result: ShellResult, ctx: ToolContext): Promise<string | undefined> {
  if (result.omittedBytes !== undefined) return undefined;
  const text = `${result.stdout}${result.stderr}`;
  const name = `output-${mintUlid()}.txt`;
  const { outputPlace: place } = ctx.framework;
  if (!place) {
    const path = join(captureFolder(ctx), name);
    await ctx.fs.writeFile(path, text, { onlyNew: true, mode: 0o600 });
    return path;
  }
  // Not through the session's file system: tools may read there, but write nothing.
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  await writeFile(join(place.folder, name), text, { flag: "wx", mode: 0o600 });
  return join(place.folder, name);
}

const sessionFiles = new WeakMap<Framework, { readonly fs: Fs; readonly paths: Set<string> }>();

function removeWithSession(ctx: ToolContext, path: string): void {
  const { framework, fs } = ctx;
  const known = sessionFiles.get(framework);
  if (known) return void known.paths.add(path);
  const files = { fs, paths: new Set([path]) };
  sessionFiles.set(framework, files);
  framework.onClose?.(() => {
    // A command that ends later starts a new list, which a closed session removes at once.
    sessionFiles.delete(framework);
    return removeCaptures(files.fs, files.paths);
  });
}

/** Sends the caller progress notes about a running command. */
interface ProgressFeed {
  /** Adds output of the command. */
  add(text: string): void;
  /** Sends what has not been sent yet, then stops. */
  finish(): void;
}

/** The shortest time between notes. */
const NOTE_EVERY_MS = 200;
/** The time between notes for a command without output, so callers do not take it for dead. */
const ALIVE_EVERY_MS = 10_000;

/** Returns undefined if the caller takes no progress notes: then the output need not be decoded. */
function startProgressFeed(caller: Caller | undefined): ProgressFeed | undefined {
  if (!caller?.progress) return undefined;
  const startedMs = performance.now();
  let sentMs = startedMs;
  let progress = 0;
  let recent = "";
  let hasNewOutput = false;
  let isFirst = true;

  const send = (message: string): void => {
    sentMs = performance.now();
    // The running time in milliseconds, but always more than in the note before.
    progress = Math.max(progress + 1, Math.round(sentMs - startedMs));
    hasNewOutput = false;
    caller.progress?.({ progress, message });
  };
  const sendOutput = (): void => send(lastLine(recent) ?? runningFor(startedMs));
  const timer = setInterval(() => {
    if (hasNewOutput) sendOutput();
    else if (performance.now() - sentMs >= ALIVE_EVERY_MS) send(runningFor(startedMs));
  }, NOTE_EVERY_MS);
  timer.unref();

  return {
    add(text) {
      recent = (recent + text).slice(-MAX_RECENT);
      hasNewOutput = true;
      if (isFirst) sendOutput();
      isFirst = false;
    },
    finish() {
      clearInterval(timer);
      if (hasNewOutput) sendOutput();
    },
  };
}

const MAX_RECENT = 2_000;
const MAX_LINE = 200;

function lastLine(text: string): string | undefined {
  const lines = plainText(text).split(/[\r\n]/);
  return lines.findLast((line) => line.trim() !== "")?.slice(0, MAX_LINE);
}

function runningFor(sinceMs: number): string {
  return `running for ${showDuration(performance.now() - sinceMs)}`;
}
