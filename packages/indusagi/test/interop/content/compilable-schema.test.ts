import { verifies } from "@indus/testkit";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import fc from "fast-check";
import { expect, vi } from "vitest";
import { NAMED_SCHEMAS, nastySchemas } from "../../../../../test/kit/nasty-schemas.ts";
import { compilableSchema } from "../../../src/interop/content/compilable-schema.ts";

interface Schema {
  readonly [keyword: string]: unknown;
}

/** Whether the validator of the first client compiles a schema. A client has one validator for all lists. */
function compiles(schema: Schema, validator = new AjvJsonSchemaValidator()): boolean {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {}); // It warns of unknown formats.
  try {
    validator.getValidator(schema as never);
    return true;
  } catch {
    return false;
  } finally {
    warn.mockRestore();
  }
}

const isCompilable = (schema: Schema): boolean => compilableSchema(schema) !== undefined;

/** Valid schemas with every keyword. */
const VALID: readonly Schema[] = [
  {},
  { type: "object", required: undefined },
  {
    $schema: "https://json-schema.org/draft/2020-12/schema",
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
      more: { $ref: "#/$defs/node", description: "x" },
      default: { $ref: "#/properties/const" },
      const: { type: "string" },
      $id: { type: "string" },
      $anchor: { $ref: "#/properties/$id" },
      constructor: { type: "string" },
      any: {
        anyOf: [{ const: { $id: 5, id: 7 } }, { enum: [null, { $anchor: "1 x" }] }],
        default: { $ref: "x" },
      },
      old: { type: "string", nullable: true },
      self: { $ref: "#" },
      alias: { $ref: "#/$defs/alias" },
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
      "a b": { type: "string" },
      alias: { $ref: "#/$defs/a%20b" },
      node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } },
      unused: { type: "nonsense", id: 3 },
    },
  },
  { $ref: "http://json-schema.org/draft-07/schema#" },
  { type: "array", items: { $ref: "#/definitions/a" }, definitions: { a: { type: "string" } } },
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
    expect(compilableSchema(schema), JSON.stringify(schema)).toBe(schema);
  }
  const path = fc.array(fc.nat(30), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.constantFrom(...VALID.slice(2)), path, JSON_VALUE, (schema, at, by) => {
      const changed = replaceAt(schema, at, by) as Schema;
      const kept = compilableSchema(changed);
      if (kept) expect(compiles(kept), JSON.stringify(changed)).toBe(true);
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
      { $defs: { a: { $id: { type: "string" } }, $id: {} }, properties: { a: { $ref: "#/$defs/a" } } },
      { $defs: { "#": {} }, $ref: "#/$defs/#" },
      { $defs: { a: { b: {} } }, $ref: "#/$defs/a%2Fb" },
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

/** Definitions of which each refers to the next one, below some levels of a keyword. */
function chain(length: number, levels: number, keyword: string, last: unknown): Schema {
  const $defs = Array.from({ length }, (_, at): unknown => {
    let schema: unknown = at + 1 < length ? { $ref: `#/$defs/${at + 1}` } : last;
    for (let level = 0; level < levels; level++)
      schema = { [keyword]: keyword === "properties" ? { a: schema } : schema };
    return schema;
  });
  return { properties: { a: { $ref: "#/$defs/0" } }, $defs: Object.fromEntries($defs.entries()) };
}

verifies(
  "publish:compiles",
  "a chain of references is kept only if it is short enough for the stack of the validator",
  () => {
    const last = [{}, { $ref: "http://json-schema.org/draft-07/schema" }, { items: { $ref: "#/$defs/0" } }];
    for (const keyword of ["not", "items", "properties"])
      for (const levels of [1, 10, 28]) {
        const kept = [2, 6, 8, 12, 24, 48, 96, 256].map((length) =>
          last.map((each) => chain(length, levels, keyword, each)).filter(isCompilable),
        );
        // Compiled below other calls, as in a client.
        const deepest = kept.findLast((each) => each.length > 0) ?? [];
        for (const schema of deepest) expect(below(100, () => compiles(schema))).toBe(true);
        expect(kept[0], `${levels} ${keyword}`).toHaveLength(3);
        expect(kept.at(-1), `${levels} ${keyword}`).toHaveLength(0);
      }
    expect(compiles(chain(512, 1, "properties", {}))).toBe(false);
    // Many definitions are no chain.
    const $defs = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`d${at}`, { items: { $ref: "#/$defs/end" } }]),
    );
    const properties = Object.fromEntries(
      Object.keys($defs).map((name) => [name, { $ref: `#/$defs/${name}` }]),
    );
    expect(isCompilable({ properties, $defs: { ...$defs, end: { type: "string" } } })).toBe(true);
  },
);

function below<T>(calls: number, run: () => T): T {
  return calls === 0 ? run() : below(calls - 1, run);
}

verifies("publish:names", "a name that nothing refers to is removed, and the rest stays as it is", () => {
  const data = {
    const: { $id: "x" },
    default: { $anchor: "1 x" },
    enum: [{ $id: 7 }],
    examples: [{ $id: "y" }],
  };
  const rest = {
    type: "object",
    properties: { $id: data, next: { $ref: "#" }, last: { $ref: "#/$defs/a" } },
  };
  const $defs = { a: { type: "string" } };
  for (const $id of ["https://example.com/a", "http://[", "a b%", "#foo", ""])
    expect(compilableSchema({ $id, ...rest, $defs })).toEqual({ ...rest, $defs });
  const inside = { properties: { a: { $id: "a", type: "string", ...data }, const: { $anchor: "x" } } };
  expect(compilableSchema({ $id: "b", type: "object", ...inside })).toEqual({
    type: "object",
    properties: { a: { type: "string", ...data }, const: {} },
  });
  const meaningful: readonly Schema[] = [
    { $id: "x", properties: { a: { $ref: "x#/$defs/a" } }, $defs },
    { $id: "x", prefixItems: [{ $ref: "y" }] },
    { $anchor: "x", $dynamicRef: "#x" },
    { properties: { a: { $id: "a", items: { $ref: "#/$defs/b" }, $defs: { b: {} } } }, $defs: { b: {} } },
  ];
  for (const schema of meaningful) expect(compilableSchema(schema), JSON.stringify(schema)).toBeUndefined();
});

verifies("publish:names", "schemas with the same names compile side by side", () => {
  const validator = new AjvJsonSchemaValidator();
  const named = Object.entries(NAMED_SCHEMAS);
  expect(named.flatMap(([label, schema]) => (compiles(schema) ? [label] : []))).toEqual([
    "an $id of a root",
    "the same $id inside",
    "the same $id of another root",
    "an empty $id",
    "a reference into data",
    "a recursion without an object",
  ]);
  for (const [label, schema] of named) {
    const kept = compilableSchema(schema);
    if (kept) expect(compiles(kept, validator), label).toBe(true);
  }
  fc.assert(
    fc.property(nastySchemas(), (schema) => {
      const kept = compilableSchema(schema);
      if (!kept) return;
      expect(compiles(kept, validator), JSON.stringify(schema)).toBe(true);
      expect(compilableSchema(kept), JSON.stringify(schema)).toBe(kept);
    }),
    { numRuns: 500 },
  );
});
