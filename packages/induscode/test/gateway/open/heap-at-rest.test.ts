import { getHeapSpaceStatistics } from "node:v8";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { createCompaction, isWorthIt } from "../../../src/gateway/open/heap-at-rest.ts";

const MB = 1024 * 1024;

verifies("operations:rest", "only an idle gateway whose heap has grown by 8 MB compacts it", () => {
  const look = { utilization: 0.001, heapBytes: 40 * MB, keptBytes: 30 * MB };
  expect(isWorthIt(look)).toBe(true);
  expect(isWorthIt({ ...look, keptBytes: 33 * MB })).toBe(false);
  expect(isWorthIt({ ...look, utilization: 0.1 })).toBe(false);
});

verifies(
  "operations:rest",
  "a compaction leaves no gaps between objects, and no collector to other code",
  async () => {
    const compact = createCompaction();
    const reservedBytes = (): number =>
      getHeapSpaceStatistics().find((space) => space.space_name === "old_space")?.space_size ?? 0;
    compact();
    const beforeBytes = reservedBytes();
    let many: object[] = Array.from({ length: 100_000 }, (_, at) => ({ at, text: `object ${at}` }));
    compact();
    const fullBytes = reservedBytes();
    many = many.filter((_, at) => at % 50 === 0);
    await new Promise((resolve) => setImmediate(resolve));
    compact();
    // Every page still holds some objects, so only moving them gives pages back.
    expect(fullBytes - reservedBytes()).toBeGreaterThan((fullBytes - beforeBytes) / 2);
    expect(many).toHaveLength(2_000);
    expect("gc" in globalThis).toBe(false);
  },
);
