import {
  CoreError,
  describeExit,
  escapeForDisplay,
  plainText,
  settlesWithin,
  shortenText,
  showDuration,
  systemClock,
  textTable,
} from "../../core/index.ts";
import { wholeCharactersEnd, wholeCharactersStart } from "../../core/internal.ts";
import { failureResult, type ToolResult, textResult } from "../../runtime/index.ts";
import type { Fs, ToolContext } from "../contract/index.ts";
import { shownPath } from "../file/paths/tool-path.ts";
import { isSuccess } from "../shell/command-report.ts";
import { type Job, jobTableOf, MAX_RUNNING_JOBS } from "./job-table.ts";

export interface ProcessInput {
  readonly action: "start" | "list" | "poll" | "stop";
  readonly command?: string;
  readonly id?: string;
}

export function runProcess(input: ProcessInput, ctx: ToolContext, settleMs: number): Promise<ToolResult> {
  return ACTIONS[input.action](input, ctx, settleMs);
}

const ACTIONS: {
  readonly [action in ProcessInput["action"]]: (
    input: ProcessInput,
    ctx: ToolContext,
    settleMs: number,
  ) => Promise<ToolResult>;
} = {
  start,
  list: async (_input, ctx) => textResult(jobsTable(jobTableOf(ctx).list())),
  poll: (input, ctx) => withJob(input, ctx, poll),
  stop: (input, ctx) => withJob(input, ctx, stop),
};

const POLL_BYTES = 32 * 1024;

async function start({ command }: ProcessInput, ctx: ToolContext, settleMs: number): Promise<ToolResult> {
  if (command === undefined)
    return failureResult('process: "command" is missing; start needs the command line to run');
  const table = jobTableOf(ctx);
  if (!table.hasRoom()) {
    return failureResult(`process: ${MAX_RUNNING_JOBS} jobs are running, which is the limit; stop one first`);
  }
  try {
    const job = await table.start(command, ctx);
    const hasEnded = await endsWithin(job, settleMs);
    if (ctx.signal.aborted) await job.process.end();
    if (!hasEnded)
      return textResult(`${heading(job, ctx)}\nIt runs in the background; use poll to see its output.`);
    return { ...(await poll(job, ctx)), isError: !job.ended || !isSuccess(job.ended.exit) };
  } catch (thrown) {
    if (!CoreError.is(thrown)) throw thrown;
    return failureResult(`process: ${thrown.message}`);
  }
}

async function poll(job: Job, ctx: ToolContext): Promise<ToolResult> {
  return textResult(`${heading(job, ctx)}\n${await newOutput(job, ctx)}`);
}

async function stop(job: Job, ctx: ToolContext): Promise<ToolResult> {
  if (job.ended) return textResult(`${job.id} had already ended\n${heading(job, ctx)}`);
  const exit = await job.process.end();
  job.ended ??= { exit, atMs: systemClock.monotonicMs() };
  return textResult(`stopped, with everything it started\n${heading(job, ctx)}`);
}

async function withJob(
  { action, id }: ProcessInput,
  ctx: ToolContext,
  act: (job: Job, ctx: ToolContext) => Promise<ToolResult>,
): Promise<ToolResult> {
  const table = jobTableOf(ctx);
  const known = `known jobs: ${knownIds(table.list())}`;
  if (id === undefined)
    return failureResult(`process: "id" is missing; ${action} needs the id of a job; ${known}`);
  const job = table.get(id);
  return job ? act(job, ctx) : failureResult(`process: there is no job ${JSON.stringify(id)}; ${known}`);
}

function heading(job: Job, ctx: ToolContext): string {
  return `${job.id} (pid ${job.process.pid}): ${jobStatus(job)}\nlog: ${shownPath(ctx, job.logPath)}`;
}

async function newOutput(job: Job, ctx: ToolContext): Promise<string> {
  try {
    const { text, skippedBytes } = await readNewOutput(
      job,
      ctx.fs,
      Math.min(POLL_BYTES, ctx.budget.maxBytes),
    );
    const skipped = skippedBytes > 0 ? `[... ${skippedBytes} bytes skipped; they are in the log ...]\n` : "";
    return text === "" ? "(no new output)" : `${skipped}${text}`;
  } catch (thrown) {
    if (CoreError.is(thrown)) return `(its output cannot be read: ${thrown.message})`;
    throw thrown;
  }
}

function endsWithin(job: Job, ms: number): Promise<boolean> {
  const ended = new Promise<void>((resolve) => job.process.onExit(() => resolve()));
  return settlesWithin(ended, ms);
}

/** A job's status with its running time. */
function jobStatus(job: Job): string {
  if (!job.ended) return `running for ${showDuration(systemClock.monotonicMs() - job.startedMs)}`;
  return `${describeExit(job.ended.exit)} after ${showDuration(job.ended.atMs - job.startedMs)}`;
}

/** All jobs as a table, oldest first. */
function jobsTable(jobs: readonly Job[]): string {
  if (jobs.length === 0) return "no jobs";
  return textTable([
    ["ID", "STATUS", "COMMAND"],
    ...jobs.map((job) => [job.id, jobStatus(job), shownCommand(job)]),
  ]);
}

/** The known ids, for the message about an unknown one. */
function knownIds(jobs: readonly Job[]): string {
  return jobs.map((job) => job.id).join(", ") || "none";
}

const MAX_COMMAND = 100;

function shownCommand({ command }: Job): string {
  return shortenText(escapeForDisplay(command), MAX_COMMAND);
}

/** A job's output since the last poll. */
interface NewOutput {
  readonly text: string;
  /** Bytes before `text` that were skipped; they are in the log. */
  readonly skippedBytes: number;
}

/** Reads from where the last read stopped, at most the last `maxBytes`, and marks them as shown. */
function readNewOutput(job: Job, fs: Fs, maxBytes: number): Promise<NewOutput> {
  // One at a time, so two parallel polls get different parts.
  const reading = job.lastReading.then(() => readOn(job, fs, maxBytes));
  job.lastReading = reading.catch(() => {});
  return reading;
}

async function readOn(job: Job, fs: Fs, maxBytes: number): Promise<NewOutput> {
  const file = await fs.open(job.logPath);
  try {
    const { size } = file.info;
    const from = Math.max(job.shownBytes, size - maxBytes);
    const bytes = await file.read(from, size - from);
    const isCut = from > job.shownBytes;
    const start = isCut ? wholeCharactersStart(bytes) : 0;
    // An incomplete character at the end is left for the next read.
    const end = job.ended ? bytes.length : wholeCharactersEnd(bytes);
    const skippedBytes = from + start - job.shownBytes;
    job.shownBytes = from + Math.max(start, end);
    return { text: plainText(Buffer.from(bytes.subarray(start, end)).toString("utf8")), skippedBytes };
  } finally {
    await file.close();
  }
}
