import { untilAborted } from "../../../core/index.ts";
import { ProgramProcess } from "./program-process.ts";

/** Programs that run at the same time; those that wait for an answer to a question are not counted. */
const MAX_RUNNING = 20;
/** Processes in all, with those that wait. */
const MAX_PROCESSES = 64;
const MAX_IDLE = 4;
const IDLE_MS = 30_000;

interface IdleProcess {
  readonly owner: string;
  readonly process: ProgramProcess;
  readonly timer: NodeJS.Timeout;
}

/**
 * The processes for programs. One that is done is kept for a while for the next program of the same owner, never for another's.
 * Programs that have to wait take turns by owner, so one owner with many does not hold up the others.
 */
class ProgramPool {
  readonly #idle: IdleProcess[] = [];
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;
  #processes = 0;

  /** Runs work with a process. Rejects if there is no room, or the process cannot be started. */
  async with<T>(
    owner: string,
    signal: AbortSignal,
    work: (process: ProgramProcess, slot: Slot) => Promise<T>,
  ): Promise<T> {
    if (this.#processes >= MAX_PROCESSES)
      throw new Error("too many programs are waiting for answers; answer their questions first");
    this.#processes += 1;
    const slot = new Slot((delta) => this.#count(delta));
    let process: ProgramProcess | undefined;
    try {
      await this.#turn(owner, signal);
      slot.take();
      process = this.#takeIdle(owner) ?? (await ProgramProcess.start());
      process.hold(true);
      return await work(process, slot);
    } finally {
      slot.leave();
      this.#processes -= 1;
      if (process) this.#keep(owner, process);
    }
  }

  async #turn(owner: string, signal: AbortSignal): Promise<void> {
    if (this.#running < MAX_RUNNING && this.#waiting.size === 0) return;
    const queue = this.#waiting.get(owner) ?? [];
    this.#waiting.set(owner, queue);
    let go = (): void => {};
    const turn = new Promise<void>((resolve) => {
      go = resolve;
      queue.push(go);
    });
    try {
      await untilAborted(turn, signal);
    } catch (thrown) {
      const at = queue.indexOf(go);
      if (at >= 0) queue.splice(at, 1);
      else this.#count(0); // It was this one's turn.
      if (queue.length === 0) this.#waiting.delete(owner);
      throw thrown;
    }
  }

  #count(delta: number): void {
    this.#running += delta;
    if (delta > 0 || this.#running >= MAX_RUNNING) return;
    for (const [owner, queue] of this.#waiting) {
      // The owner goes to the end of the line.
      this.#waiting.delete(owner);
      const go = queue.shift();
      if (queue.length > 0) this.#waiting.set(owner, queue);
      if (go) return go();
    }
  }

  #takeIdle(owner: string): ProgramProcess | undefined {
    const at = this.#idle.findIndex((each) => each.owner === owner && each.process.isUsable);
    if (at < 0) return undefined;
    const [{ process, timer }] = this.#idle.splice(at, 1) as [IdleProcess];
    clearTimeout(timer);
    return process;
  }

  #keep(owner: string, process: ProgramProcess): void {
    if (!process.isUsable) return process.end();
    process.hold(false);
    const timer = setTimeout(() => this.#drop(process), IDLE_MS).unref();
    this.#idle.push({ owner, process, timer });
    if (this.#idle.length > MAX_IDLE) this.#drop((this.#idle[0] as IdleProcess).process);
  }

  #drop(process: ProgramProcess): void {
    const at = this.#idle.findIndex((each) => each.process === process);
    const [dropped] = at < 0 ? [] : this.#idle.splice(at, 1);
    clearTimeout(dropped?.timer);
    process.end();
  }
}

/** A program's place among those that run. */
class Slot {
  readonly #count: (delta: number) => void;
  #isTaken = false;

  constructor(count: (delta: number) => void) {
    this.#count = count;
  }

  take(): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    this.#count(1);
  }

  /** The program waits for an answer, and leaves its place to another. */
  leave(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#count(-1);
  }
}

/** One for all boxes: the limits are those of the machine. */
export const programPool: Pick<ProgramPool, "with"> = new ProgramPool();
