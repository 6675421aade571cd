import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { judgedStart } from "../../fleet/figures/total-time.ts";

verifies("fleet-run:page", "two builds are compared by the time of the whole start", () => {
  const before = { totalMs: 30_000, ready: 3 };
  const now = { totalMs: 32_000, ready: 3 };
  expect(judgedStart(now, before, 3).map(({ shown, isMet }) => [shown, isMet])).toEqual([
    ["32.00 s, 3 of 3 ready", undefined],
    ["30.00 s, 3 of 3 ready", undefined],
    ["32.00 s", true],
  ]);
  expect(judgedStart({ totalMs: 34_000, ready: 3 }, before, 3).at(-1)?.isMet).toBe(false);
});

verifies("fleet-run:page", "fewer ready servers than with the other build are a miss, however fast", () => {
  const fewer = judgedStart({ totalMs: 900, ready: 1 }, { totalMs: 30_000, ready: 3 }, 3);
  expect(fewer.at(-1)?.isMet).toBe(false);
});

verifies("fleet-run:page", "without another build the total time is shown and not judged", () => {
  const now = { totalMs: 60_000, ready: 1 };
  expect(judgedStart(now, undefined, 1).map(({ isMet }) => isMet)).toEqual([undefined]);
});
