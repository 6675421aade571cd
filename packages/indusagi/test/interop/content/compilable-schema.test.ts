import { verifies } from "@indus/testkit";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import fc from "fast-check";
import { expect, vi } from "vitest";
import { isCompilable } from "../../../src/interop/content/compilable-schema.ts";

interface Schema {
  readonly [keyword: string]: unknown;
}

/** Whether the validator of the first client compiles a schema. */
function compiles(schema: Schema): boolean {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {}); // It warns of unknown formats.
  try {
    new AjvJsonSchemaValidator().getValidator(schema as never);
    return true;
  } catch {
    return false;
  } finally {
    warn.mockRestore();
  }
}

/** Valid schemas with every keyword. */
const VALID: readonly Schema[] = [
  {},
  { type: "object", required: undefined },
  {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://example.com/result",
    title: "A result",
    type: "object",
    properties: {
      id: { type: ["string", "null"], pattern: "^[\\w\\-]+$", minLength: 1, maxLength: 9, format: "uri" },
      count: {
        type: "integer",
        minimum: 0,
        maximum: 9,
        exclusiveMinimum: -1,
        exclusiveMaximum: 10,
        multipleOf: 1,
      },
      list: {
        type: "array",
        items: [{ $ref: "#/$defs/a%20b" }, true],
        additionalItems: false,
        uniqueItems: true,
      },
      more: { $ref: "https://example.com/result#/$defs/node", description: "x" },
      any: {
        anyOf: [{ const: { $id: 5, id: 7 } }, { enum: [null, { $anchor: "1 x" }] }],
        default: { $ref: "x" },
      },
      old: { type: "string", nullable: true },
      self: { $ref: "#" },
      named: { $ref: "#somewhere" },
    },
    required: ["id"],
    additionalProperties: { not: { type: "null" } },
    patternProperties: { "^x-": { allOf: [{}, false] } },
    propertyNames: { maxLength: 9 },
    minProperties: 0,
    maxProperties: 99,
    dependencies: { a: ["b"], c: { oneOf: [true, { required: [] }] } },
    if: { contains: {} },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { minItems: 1 },
    else: { maxItems: 1 },
    prefixItems: 7,
    $defs: {
      "a b": { type: "string", $anchor: "somewhere" },
      node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } },
      unused: { type: "nonsense", id: 3 },
    },
  },
  { $ref: "http://json-schema.org/draft-07/schema#" },
  { type: "array", items: { $ref: "#/definitions/a" }, definitions: { a: { $id: "#a" } } },
];

const JSON_VALUE = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom(
    "[",
    "#/$defs/none",
    "https://example.com/other",
    "any",
    "object",
    "\\_",
    "#",
    "",
    -1,
    [[]],
    {},
  ),
);

function replaceAt(value: unknown, path: readonly number[], by: unknown): unknown {
  const [at, ...rest] = path;
  if (at === undefined || typeof value !== "object" || value === null) return by;
  const keys = Object.keys(value);
  if (keys.length === 0) return by;
  const key = keys[at % keys.length] as string;
  const next = replaceAt(value[key as never], rest, by);
  return Array.isArray(value)
    ? value.map((each, index) => (String(index) === key ? next : (each as unknown)))
    : { ...value, [key]: next };
}

verifies("publish:compiles", "valid schemas are kept, and every schema that is kept compiles", () => {
  for (const schema of VALID) {
    expect(compiles(schema), JSON.stringify(schema)).toBe(true);
    expect(isCompilable(schema), JSON.stringify(schema)).toBe(true);
  }
  const path = fc.array(fc.nat(30), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.constantFrom(...VALID.slice(2)), path, JSON_VALUE, (schema, at, by) => {
      const changed = replaceAt(schema, at, by) as Schema;
      if (isCompilable(changed)) expect(compiles(changed), JSON.stringify(changed)).toBe(true);
    }),
    { numRuns: 150 },
  );
});

verifies(
  "publish:compiles",
  "what the validator refuses is not kept, and neither is a schema without end",
  () => {
    const refused: readonly Schema[] = [
      { type: "any" },
      { properties: { a: { type: 7 } } },
      { properties: { a: { $ref: "#/$defs/none" } } },
      { $ref: "https://example.com/elsewhere" },
      { pattern: "[" },
      { enum: [] },
      { nullable: true },
      { minimum: "1" },
      { exclusiveMinimum: true },
      { id: "draft-4" },
      { $id: 7 },
      { items: 7 },
      { anyOf: [null] },
      { $ref: "#/$defs/a", $defs: { a: null } },
      { $defs: { a: { $anchor: "x" }, b: { $anchor: "x", type: "string" } } },
      { properties: { a: { $async: true, type: "string" } } },
      { formatMinimum: 1 },
    ];
    for (const schema of refused) {
      expect(compiles(schema), JSON.stringify(schema)).toBe(false);
      expect(isCompilable(schema), JSON.stringify(schema)).toBe(false);
    }
    let deep: Schema = {};
    for (let level = 0; level < 20_000; level++) deep = { not: deep };
    expect(isCompilable(deep)).toBe(false);
  },
);
