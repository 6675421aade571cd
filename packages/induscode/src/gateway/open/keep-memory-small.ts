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
  // Compiled code is kept at the exit, with the flags of that moment: a run with others would refuse it.
  process.prependOnceListener("exit", () => setGrowth(DEFAULT_GROWTH));
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

/** What V8 has reserved for new objects. */
export function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === "new_space")?.space_size ?? 0;
}
