import { setTimeout as sleep } from "node:timers/promises";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const LOOK_MS = 1_000;
/** A gateway that works less than this part of the time has nothing to do. */
const IDLE_SHARE = 0.02;
/** For so many looks in a row. */
const IDLE_LOOKS = 2;
/** Less is not worth a pause of some 30 ms. */
const MIN_GROWTH_BYTES = 6 * 1024 * 1024;

/**
 * Compacts the heap when the gateway has nothing to do after it had: after many calls V8 keeps twice as much as is in use, until
 * the next calls need it. Ends with the signal.
 */
export function compactAtRest(signal: AbortSignal): void {
  let compact: (() => Promise<void>) | undefined;
  let keptBytes = 0;
  let idleLooks = 0;
  let before = performance.eventLoopUtilization();
  const look = async (): Promise<void> => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    idleLooks = utilization < IDLE_SHARE ? idleLooks + 1 : 0;
    if (!isWorthIt({ idleLooks, heapBytes: getHeapStatistics().total_heap_size, keptBytes })) return;
    idleLooks = Number.NEGATIVE_INFINITY; // Until it is done.
    compact ??= createCompaction();
    await compact();
    keptBytes = getHeapStatistics().total_heap_size;
    idleLooks = 0;
    before = performance.eventLoopUtilization();
  };
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

interface Look {
  /** How often in a row nearly nothing had run since the look before. */
  readonly idleLooks: number;
  readonly heapBytes: number;
  /** The heap after the last compaction. */
  readonly keptBytes: number;
}

export function isWorthIt({ idleLooks, heapBytes, keptBytes }: Look): boolean {
  return idleLooks >= IDLE_LOOKS && heapBytes >= keptBytes + MIN_GROWTH_BYTES;
}

/** V8 judges by its last ten collections how much was allocated lately; a few more make up for what others allocate. */
const MAX_COLLECTIONS = 20;
/** V8 begins with 1 MB. */
const SMALL_YOUNG_BYTES = 2 * 1024 * 1024;
/** Between two of these, to allocate slowly. */
const COLLECTION_MS = 40;

/** Two full collections. Newer versions of V8 keep the pages that a usual one has emptied. */
const LAST_RESORT = { type: "major", flavor: "last-resort" } as const;
/** The first version that knows it. Older ones give pages back anyway, and make a small collection of it. */
const LAST_RESORT_VERSION = 12;

type Collect = (options?: { readonly type: "minor" } | typeof LAST_RESORT) => void;

/** Node has no function for it. The flags count only here: other contexts do not see the collector. */
export function createCompaction(): () => Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  const knowsLastResort = Number.parseInt(process.versions.v8, 10) >= LAST_RESORT_VERSION;
  setFlagsFromString("--no-expose-gc");
  return async () => {
    // V8 gives the heap for new objects back only if little was allocated lately.
    for (let times = 0; times < MAX_COLLECTIONS && youngBytes() > SMALL_YOUNG_BYTES; times++) {
      collect({ type: "minor" });
      await sleep(COLLECTION_MS, undefined, { ref: false });
    }
    setFlagsFromString("--compact-on-every-full-gc");
    collect(...(knowsLastResort ? [LAST_RESORT] : []));
    setFlagsFromString("--no-compact-on-every-full-gc");
  };
}

/** What V8 has reserved for new objects. */
export function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === "new_space")?.space_size ?? 0;
}
