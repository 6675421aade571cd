import type { StartLimits } from "./start-queue.ts";

/** Limits on starts, besides `startConcurrency`. */
export interface StartOptions {
  /** How many servers behind HTTP may be starting at the same time. Default 20. */
  readonly http?: number;
  /** How many first starts that install a package may be under way at the same time. Default 2. */
  readonly installs?: number;
  /** A server that is not ready after this time no longer counts as starting, so it does not hold up others. Default 3 s. */
  readonly slotMs?: number;
  /**
   * On Linux, a process that has not used the processor for this long no longer counts as starting, if others wait. Elsewhere
   * only `slotMs` applies. Default 50 ms; `Infinity` turns it off.
   */
  readonly idleMs?: number;
  /**
   * A start whose processes use almost no processor time, read and write almost nothing, and send nothing for this long is mute:
   * see `onMute`. Default 2.5 s; `Infinity` turns it off. Processor time, reading and writing are measured on Linux only;
   * elsewhere a server that sends nothing is mute, unless its start may install a package.
   */
  readonly muteMs?: number;
  /**
   * The time to connect in a first start that installs a package, as with `npx`. A `connectMs` in the server's row takes
   * precedence. Default 180 s.
   */
  readonly installMs?: number;
}

/** The limits with every default filled in. */
export interface StartSettings extends StartLimits {
  readonly installMs: number;
  readonly muteMs: number;
}

/** Throws if a limit would keep every server from starting. */
export function resolveStarts(startConcurrency: number | undefined, given: StartOptions = {}): StartSettings {
  return {
    processes: atLeastOne("startConcurrency", startConcurrency ?? defaultConcurrency()),
    http: atLeastOne("starts.http", given.http ?? 20),
    installs: atLeastOne("starts.installs", given.installs ?? 2),
    slotMs: given.slotMs ?? 3000,
    idleMs: given.idleMs ?? 50,
    muteMs: given.muteMs ?? 2500,
    installMs: given.installMs ?? 180_000,
  };
}

/** Twice the cores, because a start spends part of its time waiting for the disk. More than 12 gain nothing; fewer than 4 waste time on small machines. */
export function defaultConcurrency(cores: number = availableCores()): number {
  return Math.min(12, Math.max(4, 2 * cores));
}

function availableCores(): number {
  return process.getBuiltinModule("node:os").availableParallelism();
}

function atLeastOne(name: string, value: number): number {
  if (value >= 1) return value;
  throw new RangeError(`${name} is ${value}; it must be at least 1`);
}
