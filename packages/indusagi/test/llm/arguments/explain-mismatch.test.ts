import { verifies } from "@indus/testkit";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import fc from "fast-check";
import { explainMismatch } from "indusagi/llm";
import { expect } from "vitest";
import { jsonValue, supportedSchema } from "./argument-arbitraries.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1 },
    limit: { type: "integer", minimum: 1, maximum: 100 },
    deep: { type: "boolean" },
    mode: { type: "string", enum: ["a", "b"] },
    code: { type: "string", minLength: 2, maxLength: 3 },
    who: { type: ["string", "null"] },
    items: {
      type: "array",
      minItems: 1,
      maxItems: 3,
      items: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    },
    counts: { type: "object", additionalProperties: { type: "number" } },
  },
  required: ["path"],
} as const;

verifies("arguments:explain", "each mismatch names its field and what was expected", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [{}, '"path" is missing'],
    [{ path: undefined }, '"path" is missing'],
    [{ path: null }, '"path" must be a string, got null'],
    [{ path: "" }, '"path" must not be empty'],
    [{ path: 7 }, '"path" must be a string, got 7'],
    [{ path: "a", limit: "five" }, '"limit" must be a whole number, got "five"'],
    [{ path: "a", limit: 2.5 }, '"limit" must be a whole number, got 2.5'],
    [{ path: "a", limit: 0 }, '"limit" must be at least 1, got 0'],
    [{ path: "a", limit: 101 }, '"limit" must be at most 100, got 101'],
    [{ path: "a", deep: "yes" }, '"deep" must be true or false, got "yes"'],
    [{ path: "a", mode: "c" }, '"mode" must be one of "a", "b"'],
    [{ path: "a", code: "😀" }, '"code" must have at least 2 characters, got 1'],
    [{ path: "a", code: "four" }, '"code" must have at most 3 characters, got 4'],
    [{ path: "a", who: [] }, '"who" must be a string or null, got an array'],
    [{ path: "a", items: {} }, '"items" must be an array, got an object'],
    [{ path: "a", items: [] }, '"items" must have at least 1 items, got 0'],
    [{ path: "a", items: [{ id: "x" }, { id: 1 }] }, '"items[1].id" must be a string, got 1'],
    [{ path: "a", items: [1, 2, 3, 4] }, '"items" must have at most 3 items, got 4'],
    [{ path: "a", counts: { x: 1, y: "z" } }, '"counts.y" must be a number, got "z"'],
    [{ path: () => 1 }, '"path" must be a string, got a value of type function'],
    [[], "the arguments must be an object, got an array"],
    ["path=a", 'the arguments must be an object, got "path=a"'],
  ];
  for (const [input, problem] of cases) expect(explainMismatch(schema, input)).toBe(problem);
  const closed = { type: "object", properties: {}, additionalProperties: false };
  expect(explainMismatch(closed, { x: 1 })).toBe('"x" is not known; known: none');
});

verifies("arguments:explain", "inherited members do not count", () => {
  expect(explainMismatch({ required: ["toString"] }, {})).toBe('"toString" is missing');
  expect(explainMismatch({ properties: { toString: { type: "string" } } }, {})).toBeUndefined();
  const input: unknown = JSON.parse('{"__proto__":1}');
  expect(explainMismatch({ properties: {}, additionalProperties: false }, input)).toContain('"__proto__"');
});

verifies("arguments:explain", "it finds a mismatch exactly when a validator does", () => {
  const validator = new CfWorkerJsonSchemaValidator();
  const found = { fitting: 0, explained: 0 };
  fc.assert(
    fc.property(supportedSchema, jsonValue, (tried, value) => {
      const { valid } = validator.getValidator(tried)(value);
      found[valid ? "fitting" : "explained"] += 1;
      expect(explainMismatch(tried, value) === undefined).toBe(valid);
    }),
    { numRuns: 2_000 },
  );
  expect(Math.min(found.fitting, found.explained)).toBeGreaterThan(100);
});

verifies("arguments:explain", "long names, texts and lists are cut, so that a message stays short", () => {
  const long = "x".repeat(10_000);
  const names = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`name-${index}`, {}]));
  const closed = { type: "object", properties: names, additionalProperties: false };
  expect(explainMismatch(schema, long)?.length).toBeLessThan(200);
  expect(explainMismatch(closed, { [long]: 1 })?.length).toBeLessThan(500);
  expect(explainMismatch(closed, { [long]: 1 })).toContain("name-19 and 480 more");
});

verifies("arguments:explain", "any value and any schema is accepted", () => {
  fc.assert(fc.property(fc.anything(), fc.anything(), (tried, value) => void explainMismatch(tried, value)));
});
