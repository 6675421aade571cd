import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CoreError, describeError, errorCode, mintUlid } from "../../../core/index.ts";
import { failureResult, type ToolResult, textResult } from "../../../runtime/index.ts";
import type { Framework, Fs, ShellResult, ToolContext } from "../../contract/index.ts";
import { shownPath } from "../file/paths/tool-path.ts";
import { captureFolder, ensureCaptureFolder, removeCaptures } from "./capture-folder.ts";
import { outputSections, statusLine } from "./command-report.ts";
import { isSuccess } from "./is-success.ts";
import { type ProgressFeed, startProgressFeed } from "./progress-feed.ts";

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
