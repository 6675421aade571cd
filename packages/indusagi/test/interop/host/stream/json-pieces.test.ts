import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { isLarge, jsonPieces } from "../../../../src/interop/host/stream/json-pieces.ts";

/** Long enough for several pieces, with characters at every place that are escaped or have two halves. */
const longText = fc
  .tuple(
    fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
    fc.integer({ min: 300_000, max: 600_000 }),
  )
  .map(([unit, length]) => unit.repeat(Math.ceil(length / unit.length)));
const large = fc.oneof(
  longText,
  fc
    .tuple(fc.jsonValue(), longText)
    .map(([value, text]) => ({ value, deep: [{ text }, value], none: undefined })),
  fc
    .array(fc.jsonValue(), { minLength: 4, maxLength: 5 })
    .map((values) => Array.from({ length: 9_000 }, () => values)),
);

verifies("host:large-answers", "the pieces of any value are together what JSON.stringify writes", () => {
  fc.assert(
    fc.property(large, (value) => {
      const pieces = [...jsonPieces(value)];
      expect(pieces.join("") === JSON.stringify(value)).toBe(true);
      if (isLarge(value)) expect(pieces.length).toBeGreaterThan(1);
      for (const piece of pieces) expect(piece.length).toBeLessThan(4 * 1024 * 1024);
    }),
    { numRuns: 9 },
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect([...jsonPieces(value)]).toEqual([JSON.stringify(value)]);
    }),
  );
});

verifies("host:large-answers", "what JSON leaves out is left out of the pieces", () => {
  const text = "x".repeat(300_000);
  const value = {
    text,
    list: [undefined, Symbol("none"), text],
    none: undefined,
    symbol: Symbol("none"),
    empty: {},
  };
  expect([...jsonPieces(value)].join("")).toBe(JSON.stringify(value));
});
