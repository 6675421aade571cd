import { verifies } from "@indus/testkit";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import fc from "fast-check";
import { exampleArguments, type JsonSchema } from "indusagi/llm";
import { expect } from "vitest";
import { argumentSchema } from "../arguments/argument-arbitraries.ts";

function required(properties: { readonly [name: string]: unknown }): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties) };
}

verifies("outline:example", "each type, limit and name has a fitting value", async () => {
  const cases: readonly (readonly [unknown, unknown])[] = [
    [{ type: "string" }, "text"],
    [{ type: "string", default: "usual", examples: ["first", "second"] }, "first"],
    [{ type: "string", default: 5, enum: ["low", "high"] }, "low"],
    [{ type: "string", format: "date" }, "2026-01-31"],
    [{ type: "string", minLength: 6 }, "textte"],
    [{ type: "string", maxLength: 2 }, "te"],
    [{ type: "string", pattern: "^[0-9]+$" }, "1"],
    [{ type: "string", pattern: "^[0-9a-f-]{36}$" }, "3f1c2b9a-5d4e-4f60-8a7b-9c0d1e2f3a4b"],
    [{ type: "integer", minimum: 3, multipleOf: 5 }, 5],
    [{ type: "number", exclusiveMaximum: 0 }, -1],
    [{ type: "number", maximum: 0.5 }, 0.5],
    [{ type: "boolean" }, true],
    [{ type: ["null", "integer"] }, 1],
    [{ type: "null" }, null],
    [{ anyOf: [{ type: "null" }, { type: "array", items: { type: "integer" }, minItems: 2 }] }, [1, 1]],
    [{ type: "array", items: { type: "string" }, maxItems: 0 }, []],
    [{ type: "array", prefixItems: [{ type: "string" }, { type: "boolean" }] }, ["text", true]],
    [required({ path: { type: "string" }, url: {} }), { path: ".", url: "https://example.com/" }],
    [{ const: { a: [1] } }, { a: [1] }],
    [{}, "text"],
  ];
  for (const [schema, value] of cases)
    expect(await exampleArguments(required({ x: schema })), JSON.stringify(schema)).toEqual({ x: value });
  expect(await exampleArguments({ properties: { optional: { type: "string" } } })).toEqual({});
});

verifies("outline:example", "a schema without a fitting value has no example", async () => {
  const hopeless: readonly JsonSchema[] = [
    required({ x: { type: "string", pattern: "^never-this-[0-9]{9}$" } }),
    required({ x: { type: "array", items: { type: "string" }, minItems: 100 } }),
    required({ x: { type: "integer", minimum: 5, maximum: 4 } }),
    { type: "object", properties: {}, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
  ];
  for (const schema of hopeless)
    expect(await exampleArguments(schema), JSON.stringify(schema)).toBeUndefined();
});

verifies("outline:example", "whatever the schema, an example is accepted by a validator", async () => {
  const validators = new CfWorkerJsonSchemaValidator();
  let found = 0;
  await fc.assert(
    fc.asyncProperty(argumentSchema, async (schema) => {
      const example = await exampleArguments(schema);
      if (example === undefined) return;
      found++;
      expect(validators.getValidator<unknown>(schema)(example).valid).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(found).toBeGreaterThan(200);
});
