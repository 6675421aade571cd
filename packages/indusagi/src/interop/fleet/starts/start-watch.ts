import type { Clock } from "../../../core/index.ts";
import { readTreeWork, type TreeWork } from "../../../core/internal.ts";

export interface StartWatchOptions {
  readonly clock: Clock;
  /** How long a start must show no sign of work to be mute. */
  readonly muteMs: number;
  /** The process that this start has begun, if there is one yet. */
  readonly process: () => number | undefined;
  /** Counts everything that arrives from the server. */
  readonly received: () => number;
  /** It may install a package, so waiting for the network is work. */
  readonly installs: boolean;
  /** Default: what this system can tell. `undefined` counts as work; without a function only output does. */
  readonly work?: ((pid: number) => TreeWork | undefined) | undefined;
}

/** Small enough to notice a change soon, and long enough to cost nothing. The counters lose nothing in between. */
const LOOK_MS = 500;
/** The first look. Until then even a program that only waits is being loaded. */
const FIRST_LOOK_MS = 250;
/** 50 ms of processor time: a timer in an idle program takes less. */
const IDLE_TICKS = 5;
/** Reading our requests, or waking up a thread, is not work. */
const IDLE_BYTES = 4096;

interface Signs extends Pick<TreeWork, "ticks" | "bytes"> {
  readonly pid: number;
  readonly received: number;
}

/**
 * Tells a start that works from one that is mute: its processes use almost no processor time, read and write almost nothing,
 * and nothing arrives from them. Only for servers that are processes.
 */
export class StartWatch {
  readonly #options: StartWatchOptions;
  /** What was seen when the quiet began. Undefined: it works, or that cannot be told. */
  #quiet: Signs | undefined;
  #quietSinceMs = 0;

  constructor(options: StartWatchOptions) {
    this.#options = { work: systemWork(), ...options };
  }

  /** Resolves to true when the start is mute; to false if the signal aborts before. */
  async untilMute(over: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = LOOK_MS) {
      await clock.sleep(pauseMs, over).catch(() => {});
      if (over.aborted) return false;
      if (this.isMute()) return true;
    }
  }

  /** Looks now. */
  isMute(): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const signs = this.#signs();
    if (!signs || !this.#quiet || !isQuiet(this.#quiet, signs)) {
      this.#quiet = signs;
      this.#quietSinceMs = nowMs;
    }
    return this.#quiet !== undefined && nowMs - this.#quietSinceMs >= this.#options.muteMs;
  }

  #signs(): Signs | undefined {
    const { process, received, installs, work } = this.#options;
    const pid = process();
    if (pid === undefined) return undefined;
    // Downloading is silent, so an installation is not judged by its output alone.
    if (!work) return installs ? undefined : { pid, received: received(), ticks: 0, bytes: 0 };
    const seen = work(pid);
    if (!seen || seen.isActive || (installs && seen.hasSocket)) return undefined;
    return { pid, received: received(), ticks: seen.ticks, bytes: seen.bytes };
  }
}

function isQuiet(before: Signs, now: Signs): boolean {
  return (
    now.pid === before.pid &&
    now.received === before.received &&
    Math.abs(now.ticks - before.ticks) <= IDLE_TICKS &&
    Math.abs(now.bytes - before.bytes) <= IDLE_BYTES
  );
}

/** Other systems have no such files; measuring there would start a program. */
function systemWork(): StartWatchOptions["work"] {
  return process.platform === "linux" ? readTreeWork : undefined;
}
