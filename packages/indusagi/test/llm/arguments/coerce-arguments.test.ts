import { verifies } from "@indus/testkit";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import fc from "fast-check";
import { coerceArguments } from "indusagi/llm";
import { expect } from "vitest";
import { argumentSchema, jsonValue, oneArgument } from "./argument-arbitraries.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1 },
    limit: { type: "integer", minimum: 1, maximum: 100 },
    ratio: { type: "number" },
    deep: { type: "boolean" },
    either: { anyOf: [{ type: "integer" }, { type: "string" }] },
    free: {},
    items: { type: "array", items: { type: "object", properties: { count: { type: "integer" } } } },
  },
  required: ["path"],
} as const;

verifies("arguments:coerce", "numbers, booleans and lists sent as text become values", () => {
  const sent = { path: "a", limit: " +5 ", ratio: "-1.5e1", deep: "True", items: '[{"count":"7"}]' };
  const value = { path: "a", limit: 5, ratio: -15, deep: true, items: [{ count: 7 }] };
  expect(coerceArguments(schema, sent)).toEqual(value);
  expect(coerceArguments(schema, ` ${JSON.stringify(sent)}\n`)).toEqual(value);
});

verifies(
  "arguments:coerce",
  "text stays text where the schema takes text or does not restrict the type",
  () => {
    const sent = { path: "5", either: "7", free: "[1]", other: "true" };
    expect(coerceArguments(schema, sent)).toBe(sent);
  },
);

verifies("arguments:coerce", "text that stands for no value of an accepted type is untouched", () => {
  for (const sent of [
    { limit: "five" },
    { limit: "[1]" },
    { limit: "" },
    { limit: "1e999" },
    { deep: "yes" },
    { items: "{}" },
    { items: "[1" },
    { items: 5 },
  ])
    expect(coerceArguments(schema, sent)).toBe(sent);
  for (const text of ["{broken}", '{"a":1]', "[1]", "path=a"])
    expect(coerceArguments(schema, text)).toBe(text);
});

verifies("arguments:coerce", "null means no arguments, and a null optional member is dropped", () => {
  expect(coerceArguments(schema, null)).toEqual({});
  expect(coerceArguments({}, undefined)).toEqual({});
  const sent = { path: null, limit: null, deep: undefined, free: null };
  expect(Object.entries(coerceArguments(schema, sent) as object)).toEqual([
    ["path", null],
    ["free", null],
  ]);
  const nullable = { properties: { limit: { type: ["integer", "null"] } } };
  expect(coerceArguments(nullable, { limit: "null" })).toEqual({ limit: null });
  expect(coerceArguments(nullable, { limit: null })).toEqual({ limit: null });
});

verifies("arguments:coerce", "JSON text of an object is parsed, whatever is in it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      expect(coerceArguments({}, ` ${JSON.stringify(value)}\n`)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

verifies("arguments:coerce", "coercing twice changes nothing more, and the input is never changed", () => {
  fc.assert(
    fc.property(argumentSchema, jsonValue, (parameters, input) => {
      const before = structuredClone({ parameters, input });
      const once = coerceArguments(parameters, input);
      expect(coerceArguments(parameters, once)).toBe(once);
      expect({ parameters, input }).toEqual(before);
    }),
    { numRuns: 1_000 },
  );
});

verifies("arguments:coerce", "arguments that fit are returned as they are", () => {
  const validator = new CfWorkerJsonSchemaValidator();
  let fitting = 0;
  const cases = fc.oneof(oneArgument, fc.tuple(argumentSchema, jsonValue));
  fc.assert(
    fc.property(cases, ([parameters, input]) => {
      fc.pre(input !== null);
      if (!validator.getValidator({ type: "object", ...parameters })(input).valid) return;
      fitting += 1;
      expect(coerceArguments(parameters, input)).toBe(input);
    }),
    { numRuns: 4_000 },
  );
  expect(fitting).toBeGreaterThan(400);
});

verifies(
  "arguments:coerce",
  "any value is accepted, and a member named __proto__ changes no prototype",
  () => {
    fc.assert(fc.property(fc.anything(), (input) => void coerceArguments(schema, input)));
    const input: unknown = JSON.parse('{"path":"a","limit":"5","__proto__":{"polluted":true}}');
    const coerced = coerceArguments(schema, input) as object;
    expect(Object.getPrototypeOf(coerced)).toBe(Object.prototype);
    expect(Object.entries(coerced)).toEqual([
      ["path", "a"],
      ["limit", 5],
      ["__proto__", { polluted: true }],
    ]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  },
);
