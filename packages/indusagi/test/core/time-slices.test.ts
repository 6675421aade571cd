import { verifies } from "@indus/testkit";
import { TimeSlices } from "indusagi/core";
import { expect } from "vitest";

verifies("core:time-slices", "other work has its turn after each slice, and not before", async () => {
  let nowMs = 0;
  const slices = new TimeSlices({ sliceMs: 10, nowMs: () => nowMs });
  const order: string[] = [];
  const turns = (): void => void setImmediate(() => order.push("other"));
  for (let step = 1; step <= 6; step++) {
    turns();
    order.push(`step ${step}`);
    nowMs += 4;
    await slices.pause();
  }
  // A slice is over after three steps of 4 ms.
  const before = (name: string): number =>
    order.slice(0, order.indexOf(name)).filter((each) => each === "other").length;
  expect(["step 1", "step 2", "step 3", "step 4", "step 5", "step 6"].map(before)).toEqual([
    0, 0, 0, 3, 3, 3,
  ]);
});
