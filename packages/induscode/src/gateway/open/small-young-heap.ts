import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** V8's heap for new objects grows to this size: two halves of 4 MB. */
const MAX_YOUNG_BYTES = 8 * 1024 * 1024;

/**
 * Keeps V8's heap for new objects small until a promise settles: while many servers start, much garbage is made within seconds. After
 * that it may grow, because calls need it (with its first size they cost a quarter more), but not to the 32 MB that V8 would allow and
 * never give back: that is half of the memory of a gateway at rest, and costs calls next to nothing. Never rejects.
 */
export async function keepYoungHeapSmall(until: Promise<unknown>): Promise<void> {
  if (process.versions["bun"] !== undefined) return;
  setGrowth(1);
  await until.catch(() => {});
  if (isGrown()) return;
  setGrowth(2);
  // It grows only when garbage is collected. Bounded: nothing is observed once it has grown.
  const observer = new PerformanceObserver(() => {
    if (!isGrown()) return;
    setGrowth(1);
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}

/** V8 reads it each time the heap may grow. */
function setGrowth(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

function isGrown(): boolean {
  const young = getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
  return young !== undefined && young.space_size >= MAX_YOUNG_BYTES;
}
