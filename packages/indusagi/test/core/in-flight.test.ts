import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { InFlight } from "../../src/core/in-flight.ts";

verifies("core:in-flight", "it holds what a map would hold, in the same order", () => {
  const step = fc.record({ does: fc.constantFrom("set", "delete", "clear"), key: fc.integer({ max: 5 }) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const entries = new InFlight<number, object>();
      const model = new Map<number, object>();
      for (const { does, key } of steps) {
        const value = {};
        if (does === "set") {
          entries.set(key, value);
          model.set(key, value);
        } else if (does === "delete") expect(entries.delete(key)).toBe(model.delete(key));
        else if (steps.length % 2 === 0) {
          entries.clear();
          model.clear();
        }
        expect(entries.get(key)).toBe(model.get(key));
        expect(entries.has(key)).toBe(model.has(key));
        expect(entries.size).toBe(model.size);
        expect([...entries.keys()]).toEqual([...model.keys()]);
        expect([...entries.values()]).toEqual([...model.values()]);
      }
    }),
    { seed: 20261119 },
  );
});

const IN_FLIGHT = 64;
const ENTRIES = 20_000;
const MEMBERS = 64;

verifies("core:in-flight", "an entry that has ended is not kept until the whole heap is collected", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { readonly type: "minor" }) => void;
  const collectNew = (): void => collect({ type: "minor" });
  const oldBytes = (): number =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0;
  const entries = new InFlight<number, readonly number[]>();
  const begin = (key: number): void =>
    entries.set(
      key,
      Array.from({ length: MEMBERS }, () => key),
    );
  for (let key = 0; key < IN_FLIGHT; key++) begin(key);
  for (let times = 0; times < 3; times++) collectNew();
  const before = oldBytes();
  for (let key = IN_FLIGHT; key < ENTRIES; key++) {
    begin(key);
    entries.delete(key - IN_FLIGHT);
    if (key % (4 * IN_FLIGHT) === 0) collectNew();
  }
  collectNew();
  // Of a map, most entries are kept.
  expect((oldBytes() - before) / ENTRIES).toBeLessThan((MEMBERS * 8) / 4);
});
