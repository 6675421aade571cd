import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { atSize, isFullSize, recordFigure, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { serveEvilHttp } from "../../../../test/servers/evil-http.mjs";
import { act, evil, evilInProcess, opened } from "./kit/evil.ts";
import { watchProcess } from "./kit/watch-process.ts";

watchProcess();

const only = ["linux"] as const;
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

verifies(
  "faults:b29-lifetimes",
  "in memory",
  () =>
    holds(
      "in memory",
      { warmUp: atSize({ quick: 20, full: 1000 }), cycles: atSize({ quick: 80, full: 10_000 }) },
      async (cycle) => {
        await using endpoint = await opened(
          evil("s"),
          {},
          evilInProcess(cycle % 2 === 0 ? { era: "legacy" } : {}),
        );
        await act(endpoint, "echo", { text: "x" });
      },
    ),
  { only, timeoutMs: 600_000 },
);

verifies(
  "faults:b29-lifetimes",
  "over processes",
  () =>
    holds(
      "processes",
      { warmUp: atSize({ quick: 2, full: 100 }), cycles: atSize({ quick: 4, full: 1000 }) },
      async () => {
        await using endpoint = await opened(evil("s"));
        await act(endpoint, "echo", { text: "x" });
      },
    ),
  { only, timeoutMs: 600_000 },
);

for (const era of ["legacy", "modern"] as const) {
  verifies(
    "faults:b29-lifetimes",
    `over HTTP, ${era}`,
    async () => {
      await using server = await serveEvilHttp({ era, keepsNoRecord: true });
      const config = { kind: "streamable-http", id: "h", url: server.url, onMismatch: "fail" } as const;
      await holds(
        `HTTP, ${era} era`,
        { warmUp: atSize({ quick: 5, full: 200 }), cycles: atSize({ quick: 16, full: 1000 }) },
        async () => {
          await using endpoint = await opened(config);
          await act(endpoint, "good");
        },
      );
    },
    { only, timeoutMs: 600_000 },
  );
}

/**
 * Repeats a cycle and compares what is held before and after. Memory is compared over the second half only: during
 * the first, the engine still compiles and grows its heap.
 */
async function holds(
  what: string,
  { warmUp, cycles }: { readonly warmUp: number; readonly cycles: number },
  cycle: (index: number) => Promise<void>,
): Promise<void> {
  const half = cycles / 2;
  for (let i = 0; i < warmUp; i++) await cycle(i);
  const before = await held();
  for (let i = 0; i < half; i++) await cycle(i);
  const middle = await held();
  for (let i = 0; i < half; i++) await cycle(i);
  const after = await held();
  const slope = (after.bytes - middle.bytes) / half;
  const rssSlope = (after.rss - middle.rss) / half;
  recordFigure({
    what: `B29 connected and closed, ${what}`,
    size: `${cycles} times`,
    found: `descriptors ${before.descriptors} → ${after.descriptors}, timers ${before.timers} → ${after.timers}, heap ${slope.toFixed(0)} and resident ${rssSlope.toFixed(0)} bytes a cycle`,
  });
  expect(Math.abs(after.descriptors - before.descriptors)).toBeLessThanOrEqual(isFullSize ? 2 : 6);
  expect(after.timers).toBeLessThanOrEqual(before.timers + 2);
  if (isFullSize) expect(slope).toBeLessThan(1024);
}

async function held(): Promise<{ descriptors: number; timers: number; bytes: number; rss: number }> {
  await sleep(isFullSize ? 6000 : 100); // Idle connections of fetch live for four seconds.
  collectGarbage();
  await sleep(20);
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    descriptors: readdirSync("/proc/self/fd").length,
    timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length,
    bytes: heapUsed + external,
    rss,
  };
}
