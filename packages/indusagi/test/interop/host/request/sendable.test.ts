import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { isPlain, sendable, sendableFailure } from "../../../../src/interop/host/request/sendable.ts";

/** Nearly any value: what JSON holds, leaves out, refuses, or writes in a special way. */
const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  maxDepth: 3,
});
const things = fc.oneof(
  { arbitrary: anything, weight: 9 },
  fc.constantFrom(Object(1n), new URL("test://a"), new Date(Number.NaN), Buffer.from("a")),
);

/** Objects and arrays that contain each other and themselves. */
const knots = fc
  .array(
    fc.record({
      isArray: fc.boolean(),
      things: fc.array(things, { maxLength: 2 }),
      edges: fc.array(fc.nat(5), { maxLength: 3 }),
      toJSON: fc.option(fc.constantFrom("itself", "another", "throws", "no function"), { freq: 5 }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((plans) => {
    const knots: object[] = plans.map(({ isArray }) => (isArray ? [] : {}));
    plans.forEach(({ things, edges, toJSON }, at) => {
      const knot = knots[at] as { [member: string | number]: unknown };
      const members = [...things, ...edges.map((edge) => knots[edge])];
      members.forEach((member, place) => (knot[place] = member));
      const written = {
        itself: () => "itself",
        another: () => knots[at + 1],
        throws: () => {
          throw new Error("no");
        },
        "no function": 1,
      };
      if (toJSON !== null) knot["toJSON"] = written[toJSON];
    });
    return knots[0];
  });

function isRefused(write: () => unknown): boolean {
  try {
    write();
    return false;
  } catch {
    return true;
  }
}

verifies("host:unsendable", "a value cannot be sent exactly if JSON refuses to write it", () => {
  let refused = 0;
  fc.assert(
    fc.property(fc.oneof(things, knots), (value) => {
      const isRefusedByJson = isRefused(() => JSON.stringify(value));
      if (isRefusedByJson) refused += 1;
      expect(isRefused(() => sendable(value))).toBe(isRefusedByJson);
      if (isRefusedByJson) expect(isRefused(() => isPlain(value)) || !isPlain(value)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  expect(refused).toBeGreaterThan(100);
});

verifies("host:unsendable", "plain data is recognised as sendable without being written", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => isPlain(value)));
  const shared = { of: "two" };
  expect(isPlain([shared, shared, undefined, Symbol("left out"), Number.NaN])).toBe(true);
});

verifies("host:unsendable", "depth, size or sharing without limit does not keep the check busy", () => {
  let deep: unknown = [];
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(isPlain(deep)).toBe(false);
  expect(isRefused(() => sendable(deep))).toBe(isRefused(() => JSON.stringify(deep)));
  let wide: unknown = [];
  for (let level = 0; level < 90; level += 1) wide = [wide, wide];
  expect(isPlain(wide)).toBe(false);
  const long = "x".repeat(2 ** 20);
  expect(isPlain(Array.from({ length: 600 }, () => long))).toBe(false);
});

verifies("host:unsendable", "a failure keeps its code and message, and its data if that can be sent", () => {
  const good = Object.assign(new Error("no"), { code: 7, data: { why: 1 } });
  expect(sendableFailure(good)).toBe(good);
  const bad = Object.assign(new Error("no"), { code: 7, data: { why: 1n } });
  expect(sendableFailure(bad)).toMatchObject({ code: 7, message: "no", data: undefined });
  expect(sendableFailure(undefined)).toMatchObject({ code: -32603, message: "undefined" });
  expect(sendableFailure({ code: "E", message: 1n })).toMatchObject({ code: -32603 });
});
