import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { judgedStart } from "../../fleet/figures/total-time.ts";

verifies(
  "fleet-run:page",
  "two builds are compared by the time until the same number of servers was ready",
  () => {
    // The other build gave up on the third server after 30 s; ours needed 60 s for it, and was as fast with two.
    const before = { totalMs: 30_000, readyMs: [1_000, 20_000] };
    const now = { totalMs: 60_000, readyMs: [2_000, 21_000, 60_000] };
    expect(judgedStart(now, before, 3).map(({ shown, isMet }) => [shown, isMet])).toEqual([
      ["60.00 s, 3 of 3 ready", undefined],
      ["30.00 s, 2 of 3 ready", undefined],
      ["21.00 s", true],
    ]);
    const slower = { ...now, readyMs: [2_000, 23_000, 60_000] };
    expect(judgedStart(slower, before, 3).at(-1)?.isMet).toBe(false);
    const fewer = { totalMs: 900, readyMs: [900] };
    expect(judgedStart(fewer, before, 3).at(-1)?.isMet).toBe(false);
  },
);

verifies("fleet-run:page", "without another build the total time is shown and not judged", () => {
  const now = { totalMs: 60_000, readyMs: [60_000] };
  expect(judgedStart(now, undefined, 1).map(({ isMet }) => isMet)).toEqual([undefined]);
});
