import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { bytesHash, CoreError, canonicalJson, contentHash } from "indusagi/core";
import { configure } from "safe-stable-stringify";
import { expect } from "vitest";

/** The same value with every object's keys in another order. */
function shuffleKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffleKeys);
  if (typeof value !== "object" || value === null) return value;
  const shuffled: Record<string, unknown> = {};
  for (const key of Object.keys(value).toReversed()) {
    Object.defineProperty(shuffled, key, {
      value: shuffleKeys((value as Record<string, unknown>)[key]),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return shuffled;
}

verifies("core:canonical-json", "canonical text does not depend on key order", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => canonicalJson(shuffleKeys(value)) === canonicalJson(value)),
  );
  expect(canonicalJson({ b: 1, a: [2, { d: null, c: "x" }] })).toBe('{"a":[2,{"c":"x","d":null}],"b":1}');
});

verifies("core:canonical-json", "canonical text parses back to the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

verifies("core:canonical-json", "equal texts mean equal values", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const sameText = canonicalJson(a) === canonicalJson(b);
      const sameValue = JSON.stringify(shuffleSorted(a)) === JSON.stringify(shuffleSorted(b));
      return sameText === sameValue;
    }),
  );
});

/** An independent implementation of the order: entries sorted by key at every level. */
function shuffleSorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffleSorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return entries.map(([key, member]) => [key, shuffleSorted(member)]).concat([["object"]]);
}

verifies("core:canonical-json", "an independent library writes the same text", () => {
  const oracle = configure({ deterministic: true, strict: true });
  const values = [
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ];
  fc.assert(
    fc.property(fc.object({ values, withDate: true, withNullPrototype: true, maxDepth: 5 }), (value) => {
      expect(canonicalJson(value)).toBe(oracle(value));
    }),
  );
});

verifies("core:canonical-json", "objects with few members and with many are in the same order", () => {
  const members = fc.dictionary(fc.string({ maxLength: 4, unit: "binary" }), fc.integer(), {
    maxKeys: 60,
    size: "max",
  });
  fc.assert(
    fc.property(members, (value) => {
      const keys = [...canonicalJson(value).matchAll(/("(?:[^"\\]|\\.)*"):/g)].map(
        ([, key = ""]) => JSON.parse(key) as string,
      );
      expect(keys).toEqual(Object.keys(value).sort());
    }),
  );
});

verifies("core:canonical-json", "members that are undefined are left out", () => {
  expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
});

verifies("core:canonical-refusal", "cycles, BigInt, functions, NaN and undefined are refused", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  let deep: unknown = 0;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  for (const value of [
    cycle,
    1n,
    () => 1,
    undefined,
    Number.NaN,
    { nested: Number.POSITIVE_INFINITY },
    [undefined],
    { nested: Symbol("s") },
    deep,
  ]) {
    let thrown: unknown;
    try {
      canonicalJson(value);
    } catch (error) {
      thrown = error;
    }
    expect(CoreError.is(thrown) && thrown.kind).toBe("not_json");
  }
});

verifies("core:content-hash", "the hash depends on the value, not on the key order", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => contentHash(value) === contentHash(shuffleKeys(value))));
  expect(contentHash({ a: 1 })).not.toBe(contentHash({ a: 2 }));
  expect(contentHash(null)).not.toBe(contentHash({}));
  expect(contentHash({ type: "object" })).toMatch(/^[0-9a-f]{32}$/);
});

verifies("core:content-hash", "the hash of a known value is pinned", () => {
  expect(contentHash({ b: 1, a: "é" })).toBe(bytesHash('{"a":"é","b":1}').slice(0, 32));
  expect(bytesHash("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(bytesHash(Buffer.from("abc"))).toBe(bytesHash("abc"));
});
