import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { qualifyToolName, wireName } from "indusagi/interop";
import { expect } from "vitest";

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const awkward = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "b", "_", "-", "0", "f", ".", "é", " ", "\n"),
    minLength: 1,
    maxLength: 12,
  }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 90 }),
);
const pair = fc.record({ server: awkward, name: awkward });

verifies("interop:wire-name", "each name is legal, for any pair", () => {
  fc.assert(
    fc.property(pair, (ref) => LEGAL.test(wireName(ref))),
    { numRuns: 500 },
  );
});

verifies("interop:wire-name", "different pairs have different names", () => {
  fc.assert(
    fc.property(pair, pair, (a, b) => {
      const isSame = a.server === b.server && a.name === b.name;
      return (wireName(a) === wireName(b)) === isSame;
    }),
    { numRuns: 2000 },
  );
});

verifies("interop:wire-name", "pairs that join to the same text have different names", () => {
  const part = fc.string({ unit: fc.constantFrom("a", "_"), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(part, part, part, part, (s1, t1, s2, t2) => {
      fc.pre(s1 !== s2 || t1 !== t2);
      return wireName({ server: s1, name: t1 }) !== wireName({ server: s2, name: t2 });
    }),
    { numRuns: 2000 },
  );
});

verifies("interop:wire-name", "an ordinary pair is joined plainly", () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
  fc.assert(
    fc.property(word, word, (server, name) => {
      fc.pre(!/_[0-9a-f]{8}$/.test(`${server}__${name}`));
      expect(wireName({ server, name })).toBe(qualifyToolName({ server, name }));
    }),
  );
});

verifies("interop:wire-name", "the fault catalogue's names, one by one", () => {
  const long = "x".repeat(200);
  const pairs = [
    ["a__b", "c"],
    ["a", "b__c"],
    ["s", long],
    ["s", ""],
    ["s", " "],
    ["s", "a\nb"],
    ["s", "\x1b[31m"],
    ["s", "\u202eabc"],
    ["s", "é"],
    ["s", "e\u0301"],
    ["s", "\u0430"],
    ["s", "A"],
    ["s", "a"],
    ["s", "toString"],
    ["s", "__proto__"],
    ["_s", "a"],
    ["s_", "a"],
    ["s", "a_0123abcd"],
  ] as const;
  const names = pairs.map(([server, name]) => wireName({ server, name }));
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(LEGAL);
  expect(wireName({ server: "a", name: "b__c" })).toBe("a__b__c");
  expect(wireName({ server: "a__b", name: "c" })).toMatch(/^a__b__c_[0-9a-f]{8}$/);
  expect(wireName({ server: "s", name: "toString" })).toBe("s__toString");
});

verifies("interop:wire-name", "a shorter limit is kept", () => {
  fc.assert(
    fc.property(pair, fc.integer({ min: 16, max: 64 }), (ref, limit) => wireName(ref, limit).length <= limit),
  );
});
