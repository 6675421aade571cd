import { atSize, verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { normalizeSchema } from "../../../src/interop/schema/index.ts";
import { hostileSchema } from "../../llm/dialects/schema-arbitraries.ts";

const CLOSED = { type: "object", properties: {} };
const runs = { numRuns: atSize({ quick: 300, full: 10_000 }) };

verifies(
  "normalize-schema:types",
  "a value that is not a schema of one known type becomes a closed, empty object",
  () => {
    const others = [
      undefined,
      null,
      true,
      5,
      "string",
      [],
      {},
      { type: "any" },
      { type: ["string", "null"] },
    ];
    const untyped = [
      { enum: ["a"] },
      { anyOf: [{ type: "string" }] },
      { $ref: "#/$defs/a" },
      { type: "constructor" },
    ];
    for (const input of [...others, ...untyped]) expect(normalizeSchema(input)).toEqual(CLOSED);
  },
);

verifies("normalize-schema:types", "each of the seven types keeps its own keywords", () => {
  const table = [
    { type: "string", minLength: 1, pattern: "^a", enum: ["a"], format: "uri" },
    { type: "number", minimum: 0 },
    { type: "integer", multipleOf: 2 },
    { type: "boolean", description: "yes or no" },
    { type: "null" },
    { type: "array", items: { type: "string" }, minItems: 1 },
    { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
  ];
  for (const schema of table) expect(normalizeSchema(schema)).toEqual(schema);
});

verifies("normalize-schema:keywords", "the listed keywords are stripped at every level", () => {
  const noise = {
    $schema: "s",
    $id: "i",
    $ref: "#",
    $defs: {},
    definitions: {},
    $comment: "c",
    deprecated: true,
    readOnly: true,
    writeOnly: true,
    default: 1,
    examples: [1],
    contentEncoding: "base64",
    contentMediaType: "text/plain",
  };
  const leaf = { ...noise, type: "string", title: "T" };
  const list = { ...noise, type: "array", items: leaf };
  const schema = { ...noise, type: "object", properties: { leaf, list }, additionalProperties: leaf };
  const clean = { type: "string", title: "T" };
  expect(normalizeSchema(schema)).toEqual({
    type: "object",
    properties: { leaf: clean, list: { type: "array", items: clean } },
    additionalProperties: clean,
  });
});

verifies("normalize-schema:keywords", "the order of keys is kept", () => {
  const schema = {
    required: ["b"],
    properties: { b: { title: "B", type: "string" }, a: { type: "null" } },
    type: "object",
  };
  expect(JSON.stringify(normalizeSchema(schema))).toBe(JSON.stringify(schema));
  expect(JSON.stringify(normalizeSchema({ title: "T", type: "object" }))).toBe(
    '{"title":"T","type":"object","properties":{}}',
  );
});

verifies("normalize-schema:objects", "the sister editions' example gives the result they document", () => {
  const given = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      path: { type: "string", default: "/tmp" },
      tags: { type: "array", items: [{ type: "string" }, { type: "number" }] },
    },
    required: ["path", "missing"],
  };
  expect(normalizeSchema(given)).toEqual({
    type: "object",
    properties: { path: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
    required: ["path"],
  });
});

verifies("normalize-schema:objects", "members of the wrong shape are dropped", () => {
  const object = (members: object): unknown => normalizeSchema({ type: "object", ...members });
  expect(object({})).toEqual(CLOSED);
  for (const properties of [null, [], "x", 1]) expect(object({ properties })).toEqual(CLOSED);
  expect(object({ properties: { a: true } })).toEqual({ type: "object", properties: { a: CLOSED } });
  for (const required of [true, "a", ["b"], [], [1], ["toString"]])
    expect(object({ required })).toEqual(CLOSED);
  for (const additionalProperties of [true, false]) {
    expect(object({ additionalProperties })).toEqual({ ...CLOSED, additionalProperties });
  }
  expect(object({ additionalProperties: { enum: [1] } })).toEqual({
    ...CLOSED,
    additionalProperties: CLOSED,
  });
  expect(object({ additionalProperties: "no" })).toEqual(CLOSED);
});

verifies("normalize-schema:arrays", "items are one schema, or absent", () => {
  const array = (members: object): unknown => normalizeSchema({ type: "array", ...members });
  expect(array({})).toEqual({ type: "array" });
  expect(array({ items: [] })).toEqual({ type: "array" });
  expect(array({ items: [{ type: "null" }, { type: "string" }] })).toEqual({
    type: "array",
    items: { type: "null" },
  });
  expect(array({ items: true })).toEqual({ type: "array", items: CLOSED });
});

verifies("normalize-schema:laws", "total: any JSON gives a schema of one known type", () => {
  fc.assert(
    fc.property(fc.oneof(hostileSchema, fc.jsonValue()), (input) => {
      const types = ["object", "array", "string", "number", "integer", "boolean", "null"];
      expect(types).toContain(normalizeSchema(input)["type"]);
    }),
    runs,
  );
});

verifies("normalize-schema:laws", "idempotent: normalizing twice equals normalizing once", () => {
  fc.assert(
    fc.property(hostileSchema, (input) => {
      const once = normalizeSchema(input);
      expect(JSON.stringify(normalizeSchema(once))).toBe(JSON.stringify(once));
    }),
    runs,
  );
});

verifies("normalize-schema:laws", "pure: a frozen schema is accepted and not changed", () => {
  fc.assert(
    fc.property(hostileSchema, (input) => {
      const before = JSON.stringify(input);
      normalizeSchema(deepFreeze(input));
      expect(JSON.stringify(input)).toBe(before);
    }),
    runs,
  );
});

verifies("normalize-schema:depth", "a million levels", () => {
  const levels = atSize({ quick: 200_000, full: 1_000_000 });
  let schema: unknown = { type: "string", default: "x" };
  for (let i = 0; i < levels; i++) {
    schema = i % 2 === 0 ? { type: "array", items: schema } : { type: "object", properties: { a: schema } };
  }
  let node: unknown = normalizeSchema(schema);
  let depth = 0;
  for (; isObject(node) && node["type"] !== "string"; depth++) {
    node = node["type"] === "array" ? node["items"] : (node["properties"] as { a: unknown }).a;
  }
  expect(depth).toBe(levels);
  expect(node).toEqual({ type: "string" });
});

verifies("normalize-schema:depth", "a schema that contains itself is normalized", () => {
  const schema: Record<string, unknown> = { type: "array", default: [] };
  schema["items"] = schema;
  const normalized = normalizeSchema(schema);
  expect(normalized["items"]).toBe(normalized);
  expect(Object.keys(normalized)).toEqual(["type", "items"]);
});

verifies("normalize-schema:own-names", "__proto__ and constructor are ordinary property names", () => {
  const text =
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"null"}},"required":["__proto__","constructor"],"__proto__":{"polluted":true}}';
  const normalized = normalizeSchema(JSON.parse(text));
  expect(JSON.stringify(normalized)).toBe(text);
  expect(Object.getPrototypeOf(normalized)).toBe(Object.prototype);
  expect(Object.getPrototypeOf(normalized["properties"])).toBe(Object.prototype);
  expect("polluted" in {}).toBe(false);
  expect(normalizeSchema({ type: "object", properties: {}, required: ["constructor", "__proto__"] })).toEqual(
    CLOSED,
  );
});

function deepFreeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
