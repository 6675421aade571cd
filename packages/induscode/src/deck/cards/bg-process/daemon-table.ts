import { join } from "node:path";
import {
  ensureCaptureFolder,
  type Framework,
  type ShellExit,
  type ShellProcess,
  type ShellStream,
  type ToolContext,
} from "indusagi/capabilities";
import { mintUlid, nowMs, systemClock } from "indusagi/core";
import { DeckFault } from "../../contract/index.ts";
import { type LineCursor, LineRing, STREAM_START } from "./line-ring.ts";

/** How many jobs of one card may run at once. */
export const MAX_RUNNING_DAEMONS = 50;
/** The time between SIGTERM and SIGKILL. */
export const STOP_GRACE_MS = 3_000;
/** How many of the most recently ended jobs are kept. */
const MAX_ENDED_DAEMONS = 50;

/** The background jobs of one `bg-process` card. Each ends with the session that started it. */
export class DaemonTable {
  readonly #daemons = new Map<string, Daemon>();
  readonly #starting = new Set<Promise<Daemon>>();
  readonly #sessions = new WeakMap<Framework, "open" | "closed">();
  #started = 0;

  /** The running jobs and the last ended ones, oldest first. */
  list(): readonly Daemon[] {
    return [...this.#daemons.values()];
  }

  get(id: string): Daemon | undefined {
    return this.#daemons.get(id);
  }

  /** Starts a command. Rejects with a `DeckFault` if too many jobs run or the session has ended. */
  async start(command: string, ctx: ToolContext): Promise<Daemon> {
    this.#requireRoom();
    this.#watch(ctx);
    this.#requireOpen(ctx);
    this.#started += 1;
    const starting = startDaemon(`bg-${this.#started}`, command, ctx);
    this.#starting.add(starting);
    try {
      const daemon = await starting;
      this.#enter(daemon);
      // If the session was closed meanwhile, closing waits for this start and stops the job.
      this.#requireOpen(ctx);
      return daemon;
    } finally {
      this.#starting.delete(starting);
    }
  }

  /** Stops a job and everything it started: SIGTERM, then SIGKILL. */
  async stop(daemon: Daemon): Promise<void> {
    const exit = await daemon.process.end(STOP_GRACE_MS);
    daemon.ended ??= { exit, atMs: systemClock.monotonicMs() };
  }

  #requireRoom(): void {
    const running = this.list().filter((daemon) => !daemon.ended).length;
    if (running + this.#starting.size < MAX_RUNNING_DAEMONS) return;
    throw new DeckFault(
      "backend",
      `${MAX_RUNNING_DAEMONS} jobs are running, which is the limit; stop one first`,
    );
  }

  #requireOpen({ framework }: ToolContext): void {
    if (this.#sessions.get(framework) === "closed")
      throw new DeckFault("backend", "the session has ended; no job can be started");
  }

  #watch(ctx: ToolContext): void {
    const { framework } = ctx;
    if (this.#sessions.has(framework)) return;
    this.#sessions.set(framework, "open");
    framework.onClose?.(() => this.#close(framework));
    void removeLeftovers(ctx);
  }

  /** Ends the jobs of a session, including those still starting, and removes their logs. */
  async #close(framework: Framework): Promise<void> {
    this.#sessions.set(framework, "closed");
    await Promise.allSettled(this.#starting);
    const own = this.list().filter(({ owner }) => owner === framework);
    await Promise.allSettled(own.map((daemon) => this.stop(daemon)));
    await Promise.all(own.map((daemon) => this.#forget(daemon)));
  }

  #enter(daemon: Daemon): void {
    this.#daemons.set(daemon.id, daemon);
    daemon.process.onExit((exit) => {
      daemon.ended ??= { exit, atMs: systemClock.monotonicMs() };
      this.#dropOldest();
    });
  }

  /** Drops the jobs that ended first, not those that started first. */
  #dropOldest(): void {
    const ended = this.list().filter((daemon) => daemon.ended);
    ended.sort((one, other) => (one.ended?.atMs ?? 0) - (other.ended?.atMs ?? 0));
    for (const daemon of ended.slice(0, Math.max(0, ended.length - MAX_ENDED_DAEMONS)))
      void this.#forget(daemon);
  }

  #forget(daemon: Daemon): Promise<void> {
    this.#daemons.delete(daemon.id);
    return daemon.removeLog();
  }
}

/** Starts a command with its output in a log file and, line by line, in memory. */
async function startDaemon(id: string, command: string, ctx: ToolContext): Promise<Daemon> {
  const { cwd, fs, shell, framework } = ctx;
  const streams = { stdout: newStream(), stderr: newStream() };
  const logPath = await newLogPath(id, ctx);
  const removeLog = (): Promise<void> => fs.rm(logPath, { ignoreMissing: true }).catch(() => {});
  let process: ShellProcess;
  try {
    process = await shell.spawn(command, {
      cwd,
      outputPath: logPath,
      onOutput: (stream, text) => streams[stream].lines.push(text),
    });
  } catch (thrown) {
    await removeLog();
    throw thrown;
  }
  const startedMs = systemClock.monotonicMs();
  return { id, command, logPath, process, startedMs, streams, owner: framework, removeLog };
}

function newStream(): DaemonStream {
  return { lines: new LineRing(), shown: STREAM_START };
}

/** In the session's folder, where `read` and `grep` can open the logs. */
const LOG_FOLDER = ".indusvx-bg";
const LOG_NAME = /^bg-\d+-[0-9A-HJKMNP-TV-Z]{26}\.log$/;
/** Logs are removed with their session. One unchanged for this long was left by a killed session. */
const LEFTOVER_MS = 7 * 24 * 60 * 60 * 1000;

type FileContext = Pick<ToolContext, "cwd" | "fs">;

/** Creates the folder and returns the path of a new log in it. */
async function newLogPath(id: string, ctx: FileContext): Promise<string> {
  return join(await ensureCaptureFolder(ctx, LOG_FOLDER), `${id}-${mintUlid()}.log`);
}

/** Removes the logs of killed sessions. Never rejects. */
async function removeLeftovers({ cwd, fs }: FileContext): Promise<void> {
  const folder = join(cwd, LOG_FOLDER);
  const oldest = nowMs() - LEFTOVER_MS;
  try {
    for (const { name, kind } of await fs.readDir(folder)) {
      if (kind !== "file" || !LOG_NAME.test(name)) continue;
      const path = join(folder, name);
      if ((await fs.stat(path)).modifiedMs < oldest) await fs.rm(path, { ignoreMissing: true });
    }
  } catch {
    // A leftover does no harm.
  }
}

/** The output of one stream of a job. */
interface DaemonStream {
  readonly lines: LineRing;
  /** How far the last poll has read. */
  shown: LineCursor;
}

/** A command that runs in the background of a session. */
export interface Daemon {
  readonly id: string;
  readonly command: string;
  /** Has the whole output of both streams. */
  readonly logPath: string;
  readonly process: ShellProcess;
  /** On the monotonic clock. */
  readonly startedMs: number;
  readonly streams: { readonly [stream in ShellStream]: DaemonStream };
  /** The session that it ends with. */
  readonly owner: Framework;
  /** How and when it ended; absent while it runs. */
  ended?: { readonly exit: ShellExit; readonly atMs: number };
  /** Never rejects. */
  removeLog(): Promise<void>;
}
