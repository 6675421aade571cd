import type { Clock } from "../../../core/index.ts";
import { type ProcessorUse, readProcessorUse } from "../../../core/internal.ts";

/** How many starts may be under way at the same time. */
export interface StartLimits {
  readonly processes: number;
  /** Servers behind HTTP are counted separately. */
  readonly http: number;
  /** First starts that install a package. Each also counts as a process. */
  readonly installs: number;
  /** A start that is not ready after this time frees its slot and goes on, so mute servers do not block others. */
  readonly slotMs: number;
  /** A process that has used no processor time for this long frees its slot, where that can be read. */
  readonly idleMs: number;
}

export interface StartRequest extends StartRank {
  readonly lane: "processes" | "http";
  /** The package that this start may install. Two installations of one package at the same time can damage its cache. */
  readonly installs?: string | undefined;
  /** The start waits for this, unless a call needs it. Settling either way counts. */
  readonly after?: Promise<unknown> | undefined;
  /** Called once if the start has to wait. */
  readonly onWait?: () => void;
  /** The process that this start has begun, if there is one yet. */
  readonly process?: (() => number | undefined) | undefined;
}

/** Reads the processor time of a process and its descendants; `undefined` if that is not possible. */
export type ReadProcessorUse = (pid: number) => ProcessorUse | undefined;

/** One start: it waits in the queue, then holds a slot, then is over. */
export interface StartTicket {
  /** Resolves when the slot is granted. Never, if the ticket is given back before that. */
  readonly granted: Promise<void>;
  /** A call waits for this start: it moves to the front. */
  call(): void;
  /** Gives the ticket back: the server is ready, has failed, or is no longer wanted. */
  leave(): void;
}

/**
 * Limits how many servers of a fleet start at the same time: too many would starve each other and us. Slots are granted in a
 * microtask, so servers that enter together are sorted before the first one starts.
 */
export class StartQueue {
  readonly #limits: StartLimits;
  readonly #clock: Clock;
  readonly #free: { processes: number; http: number; installs: number };
  /** The packages being installed. */
  readonly #packages = new Set<string>();
  readonly #waiting = new Set<Entry>();
  /** Those with a slot for a process. */
  readonly #starting = new Set<Entry>();
  readonly #use: ReadProcessorUse | undefined;
  #isDue = false;
  #isWatching = false;

  constructor(limits: StartLimits, clock: Clock, use: ReadProcessorUse | undefined = systemUse()) {
    this.#use = use;
    const { processes, http, installs } = limits;
    this.#limits = limits;
    this.#clock = clock;
    this.#free = { processes, http, installs };
  }

  enter(request: StartRequest): StartTicket {
    const entry = new Entry(request);
    this.#waiting.add(entry);
    this.#schedule();
    const release = (): void => {
      entry.isHeld = false;
      this.#schedule();
    };
    void request.after?.then(release, release);
    return {
      granted: entry.granted,
      call: () => {
        entry.isCalled = true;
        this.#schedule();
      },
      leave: () => this.#leave(entry),
    };
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#fill();
    });
  }

  #fill(): void {
    for (const entry of [...this.#waiting].sort(compareStarts)) {
      if (!this.#waiting.has(entry)) continue; // Given back by another entry's listener.
      const mayStart = !entry.isHeld || entry.isCalled;
      if (mayStart && this.#hasRoom(entry.request)) this.#grant(entry);
      else entry.waits();
    }
    if (this.#isCrowded && !this.#isWatching) void this.#watchIdle();
  }

  /** True if a start waits for a slot that a process may hold without using it. */
  get #isCrowded(): boolean {
    if (!this.#use || this.#limits.idleMs === Number.POSITIVE_INFINITY) return false;
    const waits = ({ request, isHeld, isCalled }: Entry): boolean =>
      request.lane === "processes" && (!isHeld || isCalled);
    const isKnown = [...this.#starting].some(({ request }) => request.process);
    return isKnown && this.#free.processes < 1 && [...this.#waiting].some(waits);
  }

  /** Frees the slots of processes that only wait: they take nothing from those behind them. Never rejects. */
  async #watchIdle(): Promise<void> {
    const { idleMs } = this.#limits;
    this.#isWatching = true;
    while (this.#isCrowded) {
      await this.#clock.sleep(idleMs / 2);
      const nowMs = this.#clock.monotonicMs();
      for (const entry of [...this.#starting]) {
        const pid = entry.request.process?.();
        const use = pid === undefined ? undefined : this.#use?.(pid);
        if (entry.idleForMs(use, nowMs) >= idleMs) this.#freeSlot(entry);
      }
    }
    this.#isWatching = false;
  }

  #hasRoom({ lane, installs }: StartRequest): boolean {
    if (this.#free[lane] < 1) return false;
    return installs === undefined || (this.#free.installs >= 1 && !this.#packages.has(installs));
  }

  #grant(entry: Entry): void {
    const { lane, installs } = entry.request;
    this.#waiting.delete(entry);
    this.#free[lane]--;
    if (installs !== undefined) {
      this.#free.installs--;
      this.#packages.add(installs);
    }
    entry.hasSlot = true;
    if (lane === "processes") this.#starting.add(entry);
    entry.grant();
    void this.#clock.sleep(this.#limits.slotMs, entry.over.signal).then(
      () => this.#freeSlot(entry),
      () => {}, // Over before that.
    );
  }

  #leave(entry: Entry): void {
    if (entry.over.signal.aborted) return;
    entry.over.abort();
    if (this.#waiting.delete(entry)) return;
    const { installs } = entry.request;
    if (installs !== undefined) {
      this.#free.installs++;
      this.#packages.delete(installs);
    }
    this.#freeSlot(entry);
    this.#schedule();
  }

  #freeSlot(entry: Entry): void {
    if (!entry.hasSlot) return;
    entry.hasSlot = false;
    this.#starting.delete(entry);
    this.#free[entry.request.lane]++;
    this.#schedule();
  }
}

/** Other systems have no such file; measuring there would start a program. */
function systemUse(): ReadProcessorUse | undefined {
  return process.platform === "linux" ? readProcessorUse : undefined;
}

class Entry implements StartRank {
  readonly request: StartRequest;
  readonly granted: Promise<void>;
  /** Aborted when the start is over. */
  readonly over = new AbortController();
  isCalled: boolean;
  /** What it waits for has not happened yet. */
  isHeld: boolean;
  hasSlot = false;
  grant: () => void = () => {};
  #hasWaited = false;
  #ticks: number | undefined;
  #idleSinceMs = 0;

  constructor(request: StartRequest) {
    this.request = request;
    this.isCalled = request.isCalled;
    this.isHeld = request.after !== undefined;
    this.granted = new Promise((resolve) => (this.grant = resolve));
  }

  get isRestart(): boolean {
    return this.request.isRestart;
  }

  get isRequired(): boolean {
    return this.request.isRequired;
  }

  get isKnownToFail(): boolean {
    return this.request.isKnownToFail;
  }

  get readyMs(): number | undefined {
    return this.request.readyMs;
  }

  /** How long its process has been seen idle. */
  idleForMs(use: ProcessorUse | undefined, nowMs: number): number {
    if (use === undefined || use.isActive || use.ticks !== this.#ticks) {
      this.#ticks = use?.isActive ? undefined : use?.ticks;
      this.#idleSinceMs = nowMs;
    }
    return nowMs - this.#idleSinceMs;
  }

  waits(): void {
    if (this.#hasWaited) return;
    this.#hasWaited = true;
    this.request.onWait?.();
  }
}

/** What decides the place of a start in the queue. */
export interface StartRank {
  /** A call waits for this server now. */
  readonly isCalled: boolean;
  /** It ran before in this fleet, or failed to start. */
  readonly isRestart: boolean;
  readonly isRequired: boolean;
  /** It was started before and has never been ready. */
  readonly isKnownToFail: boolean;
  /** How long its last good start took; `undefined` if it has never been ready. */
  readonly readyMs: number | undefined;
}

/**
 * Compares two starts: the smaller one begins first. A call comes before everything else, and a server that was tried and
 * never ready after everything else, unless it is required. Then first starts come before restarts. Among these, required
 * servers come first, then unknown ones, then those with the shortest start.
 */
export function compareStarts(a: StartRank, b: StartRank): number {
  return (
    Number(b.isCalled) - Number(a.isCalled) ||
    Number(isLast(a)) - Number(isLast(b)) ||
    Number(a.isRestart) - Number(b.isRestart) ||
    Number(b.isRequired) - Number(a.isRequired) ||
    (a.readyMs ?? -1) - (b.readyMs ?? -1)
  );
}

function isLast({ isKnownToFail, isRequired }: StartRank): boolean {
  return isKnownToFail && !isRequired;
}
