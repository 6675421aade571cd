import type { Framework, ToolContext } from "indusagi/capabilities";
import { systemClock } from "indusagi/core";
import { DeckFault } from "../../contract/index.ts";
import type { Daemon } from "./daemon.ts";
import { MAX_ENDED_DAEMONS, MAX_RUNNING_DAEMONS, STOP_GRACE_MS } from "./daemon-limits.ts";
import { removeLeftovers } from "./log-folder.ts";
import { startDaemon } from "./start-daemon.ts";

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
      // If the session ended meanwhile, its end waits for this start and ends the job.
      this.#requireOpen(ctx);
      return daemon;
    } finally {
      this.#starting.delete(starting);
    }
  }

  /** Ends a job with everything it started: SIGTERM, then SIGKILL. */
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

  /** Ends the jobs of a session, also those that are still starting, and removes their logs. */
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
