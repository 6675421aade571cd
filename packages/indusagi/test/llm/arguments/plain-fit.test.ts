import { verifies } from "@indus/testkit";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import fc from "fast-check";
import { coerceArguments } from "indusagi/llm";
import { expect } from "vitest";
import { plainFitOf } from "../../../src/llm/arguments/index.ts";
import { argumentSchema, jsonValue } from "./argument-arbitraries.ts";

const schema = {
  type: "object",
  properties: { text: { type: "string", description: "What to say." }, count: { type: "number" } },
  required: ["text"],
} as const;

verifies("arguments:plain-fit", "plain arguments are accepted without the validator", () => {
  const fits = plainFitOf(schema);
  expect(fits?.({ text: "a" })).toBe(true);
  expect(fits?.({ text: "a", count: 2 })).toBe(true);
  for (const input of [{}, { count: 2 }, { text: 1 }, { text: "a", more: 1 }, { text: null }, [], "a", null])
    expect(fits?.(input)).toBe(false);
});

verifies("arguments:plain-fit", "a schema with any other rule is left to the validator", () => {
  for (const member of [
    { type: "string", minLength: 1 },
    { type: "integer" },
    { type: ["string"] },
    true,
    {},
  ])
    expect(plainFitOf({ type: "object", properties: { text: member } })).toBeUndefined();
  for (const keyword of [{ minProperties: 1 }, { anyOf: [] }, { patternProperties: {} }, { type: "array" }])
    expect(plainFitOf({ ...schema, ...keyword })).toBeUndefined();
});

verifies(
  "arguments:plain-fit",
  "accepted arguments need no repair, and the validator accepts them too",
  () => {
    const validator = new CfWorkerJsonSchemaValidator();
    const plainMember = fc.record({ type: fc.constantFrom("string", "number", "boolean") });
    const members = fc.dictionary(
      fc.constantFrom("a", "b", "c"),
      fc.oneof({ weight: 8, arbitrary: plainMember }, { weight: 1, arbitrary: argumentSchema }),
    );
    const required = fc.subarray(["a", "b", "c"]);
    const input = fc.oneof(
      fc.dictionary(fc.constantFrom("a", "b", "c", "d"), jsonValue),
      fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(fc.string(), fc.integer(), fc.boolean())),
    );
    let accepted = 0;
    fc.assert(
      fc.property(members, required, input, (properties, names, given) => {
        const tried = { type: "object", properties, required: names } as const;
        if (!plainFitOf(tried)?.(given)) return;
        accepted += 1;
        expect(coerceArguments(tried, given)).toBe(given);
        const copy = JSON.parse(JSON.stringify(tried)) as typeof tried;
        expect(validator.getValidator(copy)(given).valid).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(20);
  },
);
