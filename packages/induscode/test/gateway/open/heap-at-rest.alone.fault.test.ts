import { getHeapSpaceStatistics } from "node:v8";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { createCompaction, isWorthIt } from "../../../src/gateway/open/heap-at-rest.ts";

const MB = 1024 * 1024;

verifies("operations:rest", "only an idle gateway whose heap has grown by 6 MB compacts it", () => {
  const look = { idleLooks: 2, heapBytes: 40 * MB, keptBytes: 30 * MB };
  expect(isWorthIt(look)).toBe(true);
  expect(isWorthIt({ ...look, keptBytes: 35 * MB })).toBe(false);
  expect(isWorthIt({ ...look, idleLooks: 1 })).toBe(false);
});

verifies("operations:rest", "a compaction gives the heap for new objects back", async () => {
  const newBytes = (): number =>
    getHeapSpaceStatistics().find((space) => space.space_name === "new_space")?.space_size ?? 0;
  let kept: object[] = [];
  for (let at = 0; at < 1_000_000; at++) {
    if (at % 3 === 0) kept.push({ at });
    if (kept.length > 50_000) kept = [];
  }
  const grownBytes = newBytes();
  expect(grownBytes).toBeGreaterThan(4 * MB);
  await createCompaction()();
  expect(newBytes()).toBeLessThan(grownBytes / 2);
});

verifies(
  "operations:rest",
  "a compaction leaves no gaps between objects, and no collector to other code",
  async () => {
    const compact = createCompaction();
    const reservedBytes = (): number =>
      getHeapSpaceStatistics().find((space) => space.space_name === "old_space")?.space_size ?? 0;
    await compact();
    const beforeBytes = reservedBytes();
    let many: object[] = Array.from({ length: 100_000 }, (_, at) => ({ at, text: `object ${at}` }));
    await compact();
    const fullBytes = reservedBytes();
    many = many.filter((_, at) => at % 50 === 0);
    await new Promise((resolve) => setImmediate(resolve));
    await compact();
    // Every page still holds some objects, so only moving them gives pages back.
    expect(fullBytes - reservedBytes()).toBeGreaterThan((fullBytes - beforeBytes) / 2);
    expect(many).toHaveLength(2_000);
    expect("gc" in globalThis).toBe(false);
  },
);
