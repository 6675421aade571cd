import { verifies } from "@indus/testkit";
import {
  applyPassthrough,
  convertMCPInputSchema,
  convertMCPOutputSchema,
  jsonSchemaToTypeBox,
} from "indusagi/mcp";
import { expect } from "vitest";

/** What each rule makes of its kind of schema. */
const RULES: readonly (readonly [rule: string, given: unknown, made: unknown])[] = [
  ["null", { type: "null", enum: ["a"] }, { type: "null" }],
  ["enum of one", { type: "string", enum: ["a"] }, { const: "a", type: "string" }],
  [
    "enum of several",
    { enum: ["a", 1, true, null] },
    {
      anyOf: [
        { const: "a", type: "string" },
        { const: 1, type: "number" },
        { const: true, type: "boolean" },
        { type: "null" },
      ],
    },
  ],
  ["enum before const", { enum: ["a"], const: "b" }, { const: "a", type: "string" }],
  ["const", { const: 5, description: "five" }, { const: 5, type: "number", description: "five" }],
  ["const of an object", { const: { a: 1 } }, { const: { a: 1 } }],
  [
    "oneOf",
    { oneOf: [{ type: "string" }, { type: "integer" }] },
    { anyOf: [{ type: "string" }, { type: "number" }] },
  ],
  [
    "oneOf before anyOf",
    { oneOf: [{ type: "string" }, { type: "null" }], anyOf: [{ type: "boolean" }] },
    { anyOf: [{ type: "string" }, { type: "null" }] },
  ],
  ["union of one", { anyOf: [{ type: "string" }] }, { type: "string" }],
  [
    "allOf",
    { allOf: [{ type: "object", properties: { a: {} } }, { type: "object" }] },
    {
      type: "object",
      allOf: [
        { type: "object", properties: { a: {} } },
        { type: "object", properties: {} },
      ],
    },
  ],
  [
    "array",
    { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 3 },
    { type: "array", items: { type: "number" }, minItems: 1, maxItems: 3 },
  ],
  ["array of anything", { type: "array" }, { type: "array", items: {} }],
  [
    "tuple",
    { type: "array", items: [{ type: "string" }], additionalItems: false },
    { type: "array", prefixItems: [{ type: "string" }], items: { not: {} } },
  ],
  [
    "object",
    { type: "object", properties: { a: { type: "string" }, b: { type: "array" } }, required: ["a", "gone"] },
    {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "array", items: {} } },
      required: ["a"],
    },
  ],
  [
    "object with a rest",
    { type: "object", additionalProperties: { type: "integer" } },
    { type: "object", properties: {}, additionalProperties: { type: "number" } },
  ],
  [
    "string",
    { type: "string", minLength: 1, maxLength: 2, pattern: "a", format: "uri", contentEncoding: "x" },
    { type: "string", minLength: 1, maxLength: 2, pattern: "a", format: "uri" },
  ],
  [
    "number",
    { type: "number", minimum: 1, maximum: 9, exclusiveMinimum: 0, exclusiveMaximum: 10, multipleOf: 1 },
    { type: "number", minimum: 1, maximum: 9, exclusiveMinimum: 0, exclusiveMaximum: 10, multipleOf: 1 },
  ],
  ["integer", { type: "integer", minimum: 0 }, { type: "number", minimum: 0 }],
  ["boolean", { type: "boolean", description: "yes?" }, { type: "boolean", description: "yes?" }],
  [
    "several types",
    { type: ["string", "null"], maxLength: 3 },
    { anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }] },
  ],
  ["untyped with properties", { properties: { a: true } }, { type: "object", properties: { a: {} } }],
  ["untyped with items", { items: { type: "string" } }, { type: "array", items: { type: "string" } }],
  ["anything", { description: "whatever" }, { description: "whatever" }],
  ["true", true, {}],
  ["false", false, { not: {} }],
  ["no schema", "string", {}],
  ["nothing", undefined, {}],
  ["a bound that is none", { type: "string", minLength: "3", pattern: 7 }, { type: "string" }],
  [
    "properties beside a choice of required names",
    {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
  ],
  [
    "references",
    { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { type: "integer" } } },
    { type: "object", properties: { a: { type: "number" } } },
  ],
  [
    "a reference at the root",
    {
      $ref: "#/definitions/A",
      definitions: { A: { type: "object", properties: { n: { type: "integer" } } } },
    },
    { type: "object", properties: { n: { type: "number" } } },
  ],
  [
    "a name that is a trap",
    JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
  ],
];

for (const [rule, given, made] of RULES) {
  verifies("mcp-schema:rules", rule, () => {
    expect(jsonSchemaToTypeBox(given)).toEqual(made);
  });
}

verifies("mcp-schema:passthrough", "every object is opened, and the input converter does both steps", () => {
  const schema = {
    type: "object",
    properties: {
      n: { type: "integer" },
      o: {
        type: "object",
        properties: { list: { type: "array", items: { type: "object" } } },
        additionalProperties: false,
      },
    },
    required: ["n"],
  };
  expect(convertMCPInputSchema(schema)).toEqual({
    type: "object",
    properties: {
      n: { type: "number" },
      o: {
        type: "object",
        properties: {
          list: { type: "array", items: { type: "object", properties: {}, additionalProperties: true } },
        },
        additionalProperties: true,
      },
    },
    required: ["n"],
    additionalProperties: true,
  });
  expect(convertMCPOutputSchema(schema)).toEqual(applyPassthrough(jsonSchemaToTypeBox(schema)));
  for (const none of [undefined, null, false, 0, ""]) expect(convertMCPOutputSchema(none)).toBeUndefined();
});

verifies("mcp-schema:optional", "an optional array, object or union is not made required", () => {
  const schema = {
    type: "object",
    properties: {
      tags: { type: "array", items: { type: "string" } },
      options: { type: "object", properties: { deep: { type: "array" } } },
      either: { anyOf: [{ type: "array" }, { type: "null" }] },
      name: { type: "string" },
    },
    required: ["name"],
  };
  const converted = convertMCPInputSchema(schema);
  expect(converted["required"]).toEqual(["name"]);
  expect(JSON.stringify(converted).match(/"required"/g)).toHaveLength(1);
});
