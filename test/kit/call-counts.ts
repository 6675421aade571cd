import { Session } from "node:inspector/promises";

/** How often functions of ours were called while `work` ran, by their name. Counted by V8, so that nothing is replaced. */
export async function callCounts(work: () => Promise<unknown>): Promise<(name: string) => number> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await session.post("Profiler.takePreciseCoverage"); // Sets every count to zero.
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const counts = new Map<string, number>();
    for (const { url, functions } of result) {
      if (!url.includes("/packages/") || !url.includes("/src/")) continue;
      for (const { functionName, ranges } of functions)
        counts.set(functionName, (counts.get(functionName) ?? 0) + (ranges[0]?.count ?? 0));
    }
    return (name) => counts.get(name) ?? 0;
  } finally {
    session.disconnect();
  }
}
