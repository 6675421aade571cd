import { join } from "node:path";
import { CoreError, mintUlid, systemClock } from "../../core/index.ts";
import type { Framework, ShellExit, ShellProcess, ToolContext } from "../contract/index.ts";
import { ensureCaptureFolder, removeCaptures } from "../shell/capture-folder.ts";

/** Per session. */
export const MAX_RUNNING_JOBS = 50;
/** How many ended jobs are kept, the latest ones. */
const MAX_ENDED_JOBS = 100;

/** A command that runs in the background of a session. */
export interface Job {
  readonly id: string;
  readonly command: string;
  /** The file with its output. */
  readonly logPath: string;
  readonly process: ShellProcess;
  /** On the monotonic clock. */
  readonly startedMs: number;
  /** How and when it ended; absent while it runs. */
  ended?: { readonly exit: ShellExit; readonly atMs: number };
  /** How many bytes of the log the model has seen. */
  shownBytes: number;
  /** Settles when the last read of the log has ended. */
  lastReading: Promise<unknown>;
  /** Never rejects. */
  removeLog(): Promise<void>;
}

/** The jobs of this context's session. */
export function jobTableOf({ framework }: Pick<ToolContext, "framework">): JobTable {
  const known = tables.get(framework);
  if (known) return known;
  const table = new JobTable();
  tables.set(framework, table);
  framework.onClose?.(() => table.close());
  return table;
}

const tables = new WeakMap<Framework, JobTable>();

/** The jobs of one session. They end with it. */
export class JobTable {
  readonly #jobs = new Map<string, Job>();
  #started = 0;
  #starting = 0;
  #isClosed = false;

  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  hasRoom(): boolean {
    return this.list().filter((job) => !job.ended).length + this.#starting < MAX_RUNNING_JOBS;
  }

  async start(command: string, ctx: ToolContext): Promise<Job> {
    if (this.#isClosed) throw sessionEnded();
    this.#started += 1;
    this.#starting += 1;
    try {
      const job = await startJob(`job-${this.#started}`, command, ctx);
      this.#enter(job);
      if (!this.#isClosed) return job;
      // The session ended while the job was starting.
      await endJobs([job]);
      throw sessionEnded();
    } finally {
      this.#starting -= 1;
    }
  }

  /** Ends every job and removes their logs. */
  close(): Promise<void> {
    this.#isClosed = true;
    return endJobs(this.list());
  }

  #enter(job: Job): void {
    this.#jobs.set(job.id, job);
    job.process.onExit((exit) => {
      job.ended = { exit, atMs: systemClock.monotonicMs() };
      const ended = this.list().filter((other) => other.ended);
      // Drop the jobs that ended first, not those that started first.
      ended.sort((one, other) => endOf(one) - endOf(other));
      for (const old of ended.slice(0, Math.max(0, ended.length - MAX_ENDED_JOBS))) {
        this.#jobs.delete(old.id);
        void old.removeLog();
      }
    });
  }
}

async function startJob(id: string, command: string, ctx: ToolContext): Promise<Job> {
  const logPath = join(await ensureCaptureFolder(ctx), `${id}-${mintUlid()}.log`);
  const removeLog = (): Promise<void> => removeCaptures(ctx.fs, [logPath]);
  let process: ShellProcess;
  try {
    process = await ctx.shell.spawn(command, { cwd: ctx.cwd, outputPath: logPath });
  } catch (thrown) {
    await removeLog();
    throw thrown;
  }
  const startedMs = systemClock.monotonicMs();
  return {
    id,
    command,
    logPath,
    process,
    startedMs,
    shownBytes: 0,
    lastReading: Promise.resolve(),
    removeLog,
  };
}

async function endJobs(jobs: readonly Job[]): Promise<void> {
  await Promise.allSettled(jobs.map((job) => job.process.end()));
  await Promise.allSettled(jobs.map((job) => job.removeLog()));
}

function endOf(job: Job): number {
  return job.ended?.atMs ?? Number.POSITIVE_INFINITY;
}

function sessionEnded(): CoreError {
  return new CoreError("closed", "the session has ended; no job can be started");
}
