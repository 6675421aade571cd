import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { canonicalJson } from "indusagi/core";
import { expect } from "vitest";
import { sameJson } from "../../../src/core/internal.ts";

/** Small values, so that two of them are often equal. */
const value = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, 0, 1, "", "a", "__proto__"),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("value"), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  ),
})).value;

verifies("core:same-json", "two values are the same exactly if their canonical JSON is", () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(sameJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
      expect(sameJson(a, JSON.parse(canonicalJson(a)))).toBe(true);
    }),
  );
});
