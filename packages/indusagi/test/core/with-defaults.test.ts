import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { withDefaults } from "../../src/core/internal.ts";

const member = fc.constantFrom("a", "b", "c", "__proto__");
const members = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
  fc.dictionary(member, value, { noNullPrototype: true });

verifies("core:with-defaults", "a member is the given one unless that is undefined", () => {
  const value = fc.constantFrom<unknown>(undefined, null, false, 0, "", 1);
  fc.assert(
    fc.property(members(fc.integer()), members(value), (defaults, given) => {
      const copies = [structuredClone(defaults), structuredClone(given)];
      const result = withDefaults<Record<string, unknown>>(defaults, given);
      for (const name of ["a", "b", "c"]) {
        expect(result[name]).toBe(given[name] === undefined ? defaults[name] : given[name]);
        if (given[name] === undefined) expect(name in result).toBe(name in defaults);
      }
      expect([defaults, given]).toEqual(copies);
    }),
  );
});

verifies("core:with-defaults", "nothing given means the defaults, as a copy", () => {
  const defaults = { bytes: 1, files: 2 };
  expect(withDefaults(defaults, undefined)).toEqual(defaults);
  expect(withDefaults(defaults, undefined)).not.toBe(defaults);
  expect(withDefaults(defaults, { bytes: undefined, files: 3 })).toEqual({ bytes: 1, files: 3 });
});
