import { atSize, verifies } from "@indus/testkit";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import fc from "fast-check";
import type { JsonSchema } from "indusagi/llm";
import { expect } from "vitest";
import { checkArguments } from "../../../../src/interop/host/internal.ts";

const pattern = fc.constantFrom("^a", "b$", "^[ab]{2}$", "^a(?!b)", "^(a|b)\\1$", "", "c");
const name = fc.constantFrom("a", "b", "ab", "c");
const members = <Value>(value: fc.Arbitrary<Value>, key: fc.Arbitrary<string> = name) =>
  fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true });

/** Schemas with patterns in every position, also in those where a looser schema inside is a stricter one outside. */
const schema = fc.letrec<{ schema: JsonSchema | boolean }>((tie) => {
  const list = fc.array(tie("schema"), { minLength: 1, maxLength: 2 });
  const keywords = {
    pattern,
    format: fc.constantFrom("email", "date"),
    minLength: fc.integer({ min: 0, max: 2 }),
    properties: members(tie("schema")),
    patternProperties: members(tie("schema"), pattern),
    propertyNames: tie("schema"),
    additionalProperties: tie("schema"),
    unevaluatedProperties: fc.constant(false),
    items: tie("schema"),
    prefixItems: list,
    contains: tie("schema"),
    maxContains: fc.integer({ min: 0, max: 1 }),
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: tie("schema"),
    if: tie("schema"),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: tie("schema"),
    else: tie("schema"),
    $ref: fc.constantFrom("#/$defs/a", "#/$defs/b"),
  };
  const one = fc.oneof(
    ...Object.entries(keywords).map(([key, value]) => value.map((held) => ({ [key]: held }))),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<JsonSchema | boolean>(true, false, { type: "string" }, { pattern: "^a" }),
      fc.tuple(one, one).map(([a, b]) => ({ ...a, ...b })),
    ),
  };
}).schema;

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<unknown>("a", "b", "ab", "aa", "ba", "", "x@y.zz", "c", 1, null),
    fc.array(tie("value"), { maxLength: 2 }),
    members(tie("value")),
  ),
})).value;

verifies(
  "host:argument-patterns",
  "arguments that fit are never refused, wherever the patterns are",
  async () => {
    const numRuns = atSize({ quick: 600, full: 30_000 });
    let [fitting, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(schema, schema, members(value), async (root, a, input) => {
        const whole = { type: "object", ...(root as object), $defs: { a, b: { pattern: "^b" } } };
        const found = await checkArguments(whole, input);
        if (found !== undefined) refused += 1;
        try {
          const fits = new CfWorkerJsonSchemaValidator().getValidator(structuredClone(whole))(input).valid;
          if (fits) fitting += 1;
          if (fits) expect(found).toBeUndefined();
        } catch (thrown) {
          // A reference to itself, or an assertion that failed.
          if (!(thrown instanceof RangeError)) throw thrown;
        }
      }),
      { numRuns },
    );
    expect(Math.min(fitting, refused)).toBeGreaterThan(numRuns / 10);
  },
);

const inA = (inner: JsonSchema): JsonSchema => ({ type: "object", properties: { a: inner } });
const WORD = { type: "string", pattern: "^[a-z]+$" };

verifies("host:argument-patterns", "what does not match is named with its pattern", async () => {
  const wrong = '"a" must match the pattern ^[a-z]+$';
  const cases: readonly (readonly [JsonSchema, object, string])[] = [
    [inA(WORD), { a: "A" }, wrong],
    [inA({ anyOf: [WORD, { type: "null" }] }), { a: "A" }, wrong],
    [inA({ oneOf: [{ type: "integer" }, WORD] }), { a: "A" }, wrong],
    [inA({ allOf: [{}, WORD] }), { a: "A" }, wrong],
    [{ ...inA({ $ref: "#/$defs/word" }), $defs: { word: WORD } }, { a: "A" }, wrong],
    [inA({ items: WORD }), { a: ["a", "A"] }, wrong.replace("a", "a[1]")],
    [inA({ prefixItems: [{}, WORD] }), { a: ["A", "A"] }, wrong.replace("a", "a[1]")],
    [{ patternProperties: { "^a": WORD } }, { b: "A", a: "A" }, wrong],
    [{ additionalProperties: WORD }, { a: "A" }, wrong],
    [{ propertyNames: WORD }, { a: 1, A: 1 }, wrong.replace("a", "A")],
    [
      { properties: { b: {} }, patternProperties: { "^x": {} }, additionalProperties: false },
      { b: 1, x1: 1, a: 1 },
      '"a" is not known; known: b',
    ],
  ];
  for (const [one, input, message] of cases)
    expect(await checkArguments(one, input), JSON.stringify(one)).toBe(message);
});

verifies(
  "host:argument-patterns",
  "a format, and a pattern that the linear engine cannot express, check nothing",
  async () => {
    for (const one of [
      { format: "email" },
      { pattern: "^(?=x)" },
      { pattern: "^\\-$" },
      { not: { format: "date" } },
    ])
      expect(await checkArguments(inA(one), { a: "?" })).toBeUndefined();
    // The rest of such a schema is still checked.
    const rest = { ...inA({ pattern: "^(?=x)" }), required: ["b"] };
    expect(await checkArguments(rest, { a: "?" })).toBe('"b" is missing');
  },
);

verifies(
  "host:hostile-schemas",
  "a schema that applies itself again and again is given up, and a long list is not",
  async () => {
    const levels = Array.from({ length: 40 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [`d${at}`, { allOf: [next, next] }] as const;
    });
    const doubling = { ...inA({ $ref: "#/$defs/d0" }), $defs: { ...Object.fromEntries(levels), d40: {} } };
    expect(await checkArguments(doubling, { a: "x" })).toBeUndefined();
    const again = { properties: { x: { $ref: "#" } } };
    let nested: object = {};
    for (let depth = 0; depth < 60; depth++) nested = { x: nested };
    expect(await checkArguments({ allOf: [again, again] }, nested)).toBeUndefined();
    const list = { ...inA({ items: { type: "object", properties: { b: { type: "integer" } } } }) };
    const items = Array.from({ length: 50_000 }, () => ({ b: 1 }));
    for (let time = 0; time < 3; time++) expect(await checkArguments(list, { a: items })).toBeUndefined();
    expect(await checkArguments(list, { a: [...items, { b: "x" }] })).toContain('"a[50000].b" must be');
  },
  { timeoutMs: 60_000 },
);
