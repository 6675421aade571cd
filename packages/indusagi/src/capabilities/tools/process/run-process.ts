import { CoreError, settlesWithin, systemClock } from "../../../core/index.ts";
import { failureResult, type ToolResult, textResult } from "../../../runtime/index.ts";
import type { ToolContext } from "../../contract/index.ts";
import { shownPath } from "../file/paths/tool-path.ts";
import { isSuccess } from "../shell/is-success.ts";
import type { Job } from "./job.ts";
import { jobTableOf, MAX_RUNNING_JOBS } from "./job-table.ts";
import { readNewOutput } from "./read-new-output.ts";
import { jobStatus, jobsTable, knownIds } from "./show-jobs.ts";

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
