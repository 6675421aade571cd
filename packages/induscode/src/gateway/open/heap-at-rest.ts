import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const LOOK_MS = 3_000;
/** A gateway that works less than this part of the time has nothing to do. */
const IDLE_SHARE = 0.02;
/** Less is not worth a pause of some 30 ms. */
const MIN_GROWTH_BYTES = 8 * 1024 * 1024;

/**
 * Compacts the heap when the gateway has nothing to do after it had: after many calls V8 keeps twice as much as is in use, until
 * the next calls need it. Ends with the signal.
 */
export function compactAtRest(signal: AbortSignal): void {
  if (process.versions["bun"] !== undefined) return;
  let compact: (() => void) | undefined;
  let keptBytes = 0;
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    if (!isWorthIt({ utilization, heapBytes: getHeapStatistics().total_heap_size, keptBytes })) return;
    compact ??= createCompaction();
    compact();
    keptBytes = getHeapStatistics().total_heap_size;
    before = performance.eventLoopUtilization();
  }, LOOK_MS).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

interface Look {
  /** The part of the time since the last look in which something ran. */
  readonly utilization: number;
  readonly heapBytes: number;
  /** The heap after the last compaction. */
  readonly keptBytes: number;
}

export function isWorthIt({ utilization, heapBytes, keptBytes }: Look): boolean {
  return utilization < IDLE_SHARE && heapBytes >= keptBytes + MIN_GROWTH_BYTES;
}

/** Node has no function for it. The flags count only here: other contexts do not see the collector. */
export function createCompaction(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  return () => {
    setFlagsFromString("--compact-on-every-full-gc");
    collect();
    setFlagsFromString("--no-compact-on-every-full-gc");
  };
}
