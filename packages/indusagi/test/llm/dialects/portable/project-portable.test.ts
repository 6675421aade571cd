import { verifies } from "@indus/testkit";
import { projectSchema, type SchemaLoss } from "indusagi/llm";
import { expect } from "vitest";

/** The portable form of one parameter called `it`, and its losses. */
function parameter(it: unknown, root: object = {}): { it: unknown; losses: readonly SchemaLoss[] } {
  const { schema, losses } = projectSchema({ type: "object", properties: { it }, ...root }, "portable");
  return { it: (schema["properties"] as { it: unknown }).it, losses };
}

verifies("dialects:identity", "legal schemas are returned as the same object", () => {
  const legal = [
    { type: "object", properties: {} },
    { type: "object", properties: { a: { type: "string", minLength: 1, default: "x" } }, required: ["a"] },
  ];
  for (const schema of legal) {
    for (const dialect of ["portable", "anthropic", "openai", "gemini"] as const) {
      expect(projectSchema(schema, dialect)).toEqual({ schema, losses: [] });
      expect(projectSchema(schema, dialect).schema).toBe(schema);
    }
  }
});

verifies("dialects:identity", "unchanged parts are shared with the given schema", () => {
  const kept = { type: "object", properties: { deep: { type: "string" } } };
  const schema = { $schema: "x", type: "object", properties: { kept, ref: { $ref: "#/properties/kept" } } };
  const properties = projectSchema(schema, "portable").schema["properties"] as Record<string, unknown>;
  expect(properties["kept"]).toBe(kept);
  expect(properties["ref"]).toBe(kept);
});

verifies(
  "dialects:keeps",
  "unions, nullables, booleans, constraints, defaults and unknown keywords stay",
  () => {
    const table = [
      { type: ["string", "null"] },
      { anyOf: [{ type: "string" }, { type: "null" }], default: null },
      { oneOf: [{ const: "a" }, { const: "b" }] },
      { enum: ["a", 1, null] },
      { type: "integer", minimum: 1, exclusiveMaximum: 9, multipleOf: 2 },
      { type: "string", pattern: "(a+)+$", format: "uri", examples: ["a"], deprecated: true },
      { type: "array", prefixItems: [{ type: "string" }], items: false, uniqueItems: true },
      { type: "object", additionalProperties: { type: "number" }, propertyNames: { maxLength: 3 } },
      { type: "object", properties: { never: false, always: true }, required: ["undeclared"] },
      { not: { type: "string" }, if: { type: "array" }, then: { minItems: 1 }, "x-order": 1 },
    ];
    for (const schema of table) expect(parameter(schema)).toEqual({ it: schema, losses: [] });
  },
);

verifies("dialects:root", "a root that is not an object schema becomes one", () => {
  const open = { type: "object", properties: {} };
  const table: readonly [given: unknown, schema: object, losses: string][] = [
    [undefined, open, ""],
    [true, open, ""],
    [{}, open, ""],
    [{ type: "object" }, open, ""],
    [{ type: ["object", "null"] }, open, ""],
    [{ properties: { a: {} } }, { type: "object", properties: { a: {} } }, ""],
    [{ anyOf: [{ required: ["a"] }] }, { ...open, anyOf: [{ required: ["a"] }] }, ""],
    [null, open, ":malformed"],
    [[], open, ":malformed"],
    ["object", open, ":malformed"],
    [false, open, ":malformed"],
    [{ type: "string" }, open, "type:root"],
    [{ $ref: "#/$defs/m", $defs: { m: false } }, open, ":root"],
    [{ properties: [] }, open, "properties:malformed"],
  ];
  for (const [given, schema, losses] of table) {
    const projection = projectSchema(given, "portable");
    expect(projection.schema).toEqual(schema);
    expect(projection.losses.map((loss) => `${loss.keyword}:${loss.why}`).join()).toBe(losses);
  }
});

verifies("dialects:references", "every spelling of a local reference is followed", () => {
  const root = {
    $defs: { plain: { type: "string" }, "a/b~c": { type: "null" }, "per cent": { type: "integer" } },
    definitions: { old: { type: "number" }, chain: { $ref: "#/definitions/old" } },
    properties: { it: {}, other: { type: "boolean" } },
    allOf: [{ type: "object" }],
  };
  const table = [
    ["#/$defs/plain", { type: "string" }],
    ["#/$defs/a~1b~0c", { type: "null" }],
    ["#/$defs/per%20cent", { type: "integer" }],
    ["#/definitions/old", { type: "number" }],
    ["#/definitions/chain", { type: "number" }],
    ["#/properties/other", { type: "boolean" }],
    ["#/allOf/0", { type: "object" }],
  ] as const;
  for (const [$ref, target] of table) {
    const schema = { ...root, properties: { ...root.properties, it: { $ref } } };
    const projection = projectSchema(schema, "portable");
    expect(projection.losses).toEqual([]);
    expect((projection.schema["properties"] as { it: unknown }).it).toEqual(target);
  }
});

verifies("dialects:references", "annotations beside a reference win, assertions beside it apply too", () => {
  const root = {
    $defs: { size: { type: "integer", description: "A size", minimum: 1 }, yes: true, no: false },
  };
  const $ref = "#/$defs/size";
  expect(parameter({ $ref, description: "Width", default: 3 }, root).it).toEqual({
    type: "integer",
    description: "Width",
    minimum: 1,
    default: 3,
  });
  expect(parameter({ $ref, type: "integer" }, root).it).toEqual(root.$defs.size);
  expect(parameter({ $ref, maximum: 9 }, root).it).toEqual({ maximum: 9, allOf: [root.$defs.size] });
  expect(parameter({ $ref: "#/$defs/yes", type: "null" }, root).it).toEqual({ type: "null" });
  expect(parameter({ $ref: "#/$defs/no", type: "null" }, root).it).toBe(false);
});

verifies("dialects:recursion", "a recursion is expanded once, then cut with a note", () => {
  const node = {
    type: "object",
    description: "A node.",
    properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } },
  };
  expect(parameter({ $ref: "#/$defs/node" }, { $defs: { node } })).toEqual({
    it: {
      ...node,
      properties: {
        children: {
          type: "array",
          items: { type: "object", description: "A node. (recursive: same as node)" },
        },
      },
    },
    losses: [{ at: "/properties/it/properties/children/items", keyword: "$ref", why: "recursive" }],
  });
  expect(parameter({ $ref: "#" })).toEqual({
    it: { type: "object", description: "(recursive: same as the root)" },
    losses: [{ at: "/properties/it", keyword: "$ref", why: "recursive" }],
  });
});

verifies("dialects:recursion", "circular references and a chain of a thousand references end", () => {
  const circle = { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } };
  expect(parameter({ $ref: "#/$defs/a" }, { $defs: circle }).losses.map((loss) => loss.why)).toEqual([
    "recursive",
  ]);
  const row = Object.fromEntries(
    Array.from({ length: 1000 }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]),
  );
  expect(parameter({ $ref: "#/$defs/d0" }, { $defs: row }).losses.map((loss) => loss.why)).toEqual([
    "over_budget",
  ]);
});

verifies("dialects:recursion", "keywords that depend on a lost neighbour are relaxed or removed", () => {
  const { it } = parameter({
    not: { properties: { a: { $ref: "#" } } },
    oneOf: [{ type: "string" }, { $ref: "#" }],
    if: { $ref: "#" },
    then: { type: "null" },
    unevaluatedProperties: false,
  });
  expect(it).toEqual({
    anyOf: [{ type: "string" }, { type: "object", description: "(recursive: same as the root)" }],
  });
});

verifies("dialects:no-network", "references to other documents or to nothing accept anything", () => {
  const table = [
    ["https://example.com/schema.json", "remote"],
    ["other.json#/a", "remote"],
    ["file:///etc/passwd", "remote"],
    ["#/$defs/missing", "unresolved"],
    ["#anchor", "unresolved"],
    ["#/%zz", "unresolved"],
    ["#/constructor", "unresolved"],
    ["#/__proto__", "unresolved"],
  ];
  for (const [$ref, why] of table) {
    expect(parameter({ $ref, title: "T" })).toEqual({
      it: { title: "T" },
      losses: [{ at: "/properties/it", keyword: "$ref", why }],
    });
  }
});

verifies("dialects:old-drafts", "tuples and exclusive limits of old drafts become current keywords", () => {
  const tuple = { type: "array", items: [{ type: "string" }], additionalItems: { type: "null" } };
  expect(parameter(tuple)).toEqual({
    it: { type: "array", prefixItems: [{ type: "string" }], items: { type: "null" } },
    losses: [],
  });
  const limits = { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false };
  expect(parameter(limits)).toEqual({ it: { type: "number", exclusiveMinimum: 1, maximum: 5 }, losses: [] });
  expect(parameter({ type: "array", items: [] }).it).toEqual({ type: "array" });
});

verifies(
  "dialects:old-drafts",
  "an invalid keyword value is dropped, and the loss names its position",
  () => {
    const table: readonly [keyword: string, value: unknown][] = [
      ["type", "any"],
      ["type", ["string", "any"]],
      ["type", []],
      ["minLength", "3"],
      ["maximum", null],
      ["multipleOf", 0],
      ["enum", "a"],
      ["anyOf", []],
      ["items", "string"],
      ["properties", []],
      ["required", true],
      ["pattern", 1],
      ["$ref", 5],
    ];
    for (const [keyword, value] of table) {
      expect(parameter({ title: "T", [keyword]: value })).toEqual({
        it: { title: "T" },
        losses: [{ at: "/properties/it", keyword, why: "malformed" }],
      });
    }
    expect(parameter({ required: ["a", 1, "a"] }).it).toEqual({ required: ["a"] });
  },
);

verifies("dialects:laws", "__proto__ and constructor are ordinary names", () => {
  const text =
    '{"type":"object","properties":{"__proto__":{"$ref":"#/$defs/__proto__"},"constructor":{"type":"null"}},"required":["__proto__"],"$defs":{"__proto__":{"type":"string"}}}';
  for (const dialect of ["portable", "anthropic", "openai", "gemini"] as const) {
    const { schema } = projectSchema(JSON.parse(text), dialect);
    expect(JSON.stringify(schema)).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"null"}},"required":["__proto__"]}',
    );
    expect(Object.getPrototypeOf(schema["properties"])).toBe(Object.prototype);
  }
});
