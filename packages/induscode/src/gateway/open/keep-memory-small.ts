import { setFlagsFromString } from "node:v8";
import { compactAtRest, youngBytes } from "./heap-at-rest.ts";

/** V8's heap for new objects grows to this size: two halves of 4 MB. */
const MAX_YOUNG_BYTES = 8 * 1024 * 1024;

/**
 * Sets V8 up for a process that runs for long and mostly waits. `until`: settles when the servers have started. The signal ends the
 * looks of a process at rest. Does nothing on another engine.
 */
export function keepMemorySmall(until: Promise<unknown>, signal: AbortSignal): void {
  if (process.versions["bun"] !== undefined) return;
  freeCompilersAtOnce();
  void keepYoungHeapSmall(until);
  compactAtRest(signal);
}

/**
 * Keeps V8's heap for new objects small until a promise settles: while many servers start, much garbage is made within seconds. After
 * that it may grow, because calls need it (with its first size they cost a quarter more), but not to the 32 MB that V8 would allow and
 * never give back: that is half of the memory of a gateway at rest, and costs calls next to nothing. Never rejects.
 */
async function keepYoungHeapSmall(until: Promise<unknown>): Promise<void> {
  beforeCodeIsKept(() => setGrowth(DEFAULT_GROWTH));
  setGrowth(1);
  await until.catch(() => {});
  const adjust = (): void => setGrowth(isGrown() ? 1 : DEFAULT_GROWTH);
  adjust();
  // It grows only when garbage is collected. At rest V8 shrinks it to its first size, and then it must be able to grow again.
  new PerformanceObserver(adjust).observe({ entryTypes: ["gc"] });
}

const DEFAULT_GROWTH = 2;
let growth = DEFAULT_GROWTH;

/** V8 reads it each time the heap may grow. */
function setGrowth(factor: number): void {
  if (factor === growth) return;
  growth = factor;
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

function isGrown(): boolean {
  return youngBytes() >= MAX_YOUNG_BYTES;
}

/** Those that are known to have the flag; others would write on standard error that they do not. */
const MAGLEV_VERSIONS = ["12", "13", "14"];

/**
 * V8's compiler Maglev gives the memory of a finished job back in a task of its own, which waits behind the next jobs. In the first
 * calls of a gateway the jobs pile up, and the system's allocator keeps up to 20 MB of what they needed.
 */
function freeCompilersAtOnce(): void {
  if (!MAGLEV_VERSIONS.includes(process.versions.v8.split(".")[0] ?? "")) return;
  beforeCodeIsKept(() => setFlagsFromString("--maglev-destroy-on-background"));
  setFlagsFromString("--no-maglev-destroy-on-background");
}

/** Compiled code is kept at the exit, with the flags of that moment: a run with others would refuse it. */
function beforeCodeIsKept(restore: () => void): void {
  process.prependOnceListener("exit", restore);
}
