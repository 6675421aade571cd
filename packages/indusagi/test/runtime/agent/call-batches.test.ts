import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { callBatches } from "../../../src/runtime/agent/run-calls.ts";

verifies("agent:order", "batches keep the order, and only readers share one", () => {
  const calls = fc
    .array(fc.boolean())
    .map((flags) => flags.map((isReadOnly, index) => ({ isReadOnly, index })));
  fc.assert(
    fc.property(calls, (given) => {
      const batches = callBatches(given);
      expect(batches.flat()).toEqual(given);
      for (const batch of batches)
        expect(batch.length === 1 || batch.every(({ isReadOnly }) => isReadOnly)).toBe(true);
      batches.forEach((batch, index) => {
        const next = batches[index + 1];
        // As few batches as possible: two neighbours that only read are one.
        if (next) expect(batch[0]?.isReadOnly && next[0]?.isReadOnly).toBe(false);
      });
    }),
  );
});
