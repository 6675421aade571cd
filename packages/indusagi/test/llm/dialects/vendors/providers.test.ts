import { verifies } from "@indus/testkit";
import { type DialectName, projectSchema } from "indusagi/llm";
import { expect } from "vitest";

function lossesOf(schema: unknown, dialect: DialectName): string[] {
  return projectSchema(schema, dialect).losses.map((loss) => `${loss.at} ${loss.keyword} ${loss.why}`);
}

/** Gemini's form of one parameter called `it`, and its losses. */
function gemini(it: unknown): { it: unknown; losses: string[] } {
  const schema = { type: "object", properties: { it } };
  const properties = projectSchema(schema, "gemini").schema["properties"] as { it: unknown };
  return { it: properties.it, losses: lossesOf(schema, "gemini") };
}

const SHAPES = {
  type: "object",
  description: "Draws.",
  properties: { colour: { type: "string" }, shape: { type: "string", description: "Which" } },
  required: ["colour"],
  oneOf: [
    {
      properties: { shape: { const: "circle" }, radius: { type: "number" } },
      required: ["shape", "radius"],
    },
    { properties: { shape: { const: "text" }, text: { type: "string" } }, required: ["shape"] },
    { type: "string" },
  ],
};

const FOLDED = {
  type: "object",
  description: 'Draws. (exactly one of: shape "circle" + radius | shape "text")',
  properties: {
    colour: { type: "string" },
    shape: { type: "string", description: "Which", enum: ["circle", "text"] },
    radius: { type: "number" },
    text: { type: "string" },
  },
  required: ["colour", "shape"],
};

verifies(
  "dialects:anthropic",
  "a union at the root is folded into properties and a note in the description",
  () => {
    expect(projectSchema(SHAPES, "anthropic")).toEqual({
      schema: FOLDED,
      losses: [{ at: "", keyword: "oneOf", why: "moved" }],
    });
  },
);

verifies(
  "dialects:openai",
  "a union at the root is folded into properties and a note in the description",
  () => {
    expect(projectSchema(SHAPES, "openai").schema).toEqual(FOLDED);
  },
);

verifies("dialects:anthropic", "allOf at the root is merged without a loss", () => {
  const schema = {
    allOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { properties: { a: { minLength: 2 }, b: { type: "null" } }, required: ["b"] },
    ],
  };
  expect(projectSchema(schema, "anthropic")).toEqual({
    schema: {
      type: "object",
      properties: { a: { type: "string", minLength: 2 }, b: { type: "null" } },
      required: ["a", "b"],
    },
    losses: [],
  });
});

verifies(
  "dialects:anthropic",
  "nested unions stay, and branches with only `required` become a note in the description",
  () => {
    const nested = { anyOf: [{ type: "string" }, { type: "null" }] };
    const schema = {
      type: "object",
      properties: { id: nested, name: nested },
      anyOf: [{ required: ["id"] }, { required: ["name"] }],
    };
    expect(projectSchema(schema, "anthropic").schema).toEqual({
      type: "object",
      properties: { id: nested, name: nested },
      description: "(at least one of: id | name)",
    });
  },
);

verifies(
  "dialects:anthropic",
  "a folded union is closed only if it lists every name that a branch accepted",
  () => {
    const closed = (name: string, more: object = {}): object => ({
      type: "object",
      properties: { [name]: { type: "string" } },
      additionalProperties: false,
      ...more,
    });
    const properties = { a: { type: "string" }, b: { type: "string" } };
    for (const dialect of ["anthropic", "openai"] as const) {
      expect(projectSchema({ anyOf: [closed("a"), closed("b")] }, dialect).schema).toMatchObject({
        properties,
        additionalProperties: false,
      });
      const open = { anyOf: [closed("a", { patternProperties: { "^x-": {} } }), closed("b")] };
      const { schema } = projectSchema(open, dialect);
      expect(schema).toMatchObject({ properties });
      expect(schema).not.toHaveProperty("additionalProperties");
      expect(lossesOf(open, dialect)).toEqual([
        " anyOf moved",
        " patternProperties dropped",
        " additionalProperties widened",
      ]);
    }
  },
);

verifies("dialects:anthropic", "allOf at the root keeps the patterns of all its parts", () => {
  const schema = {
    allOf: [
      { type: "object", patternProperties: { "^a": { type: "string" } } },
      { patternProperties: { "^a": { minLength: 2 }, "^b": {} }, additionalProperties: false },
    ],
  };
  expect(projectSchema(schema, "anthropic")).toEqual({
    schema: {
      type: "object",
      properties: {},
      patternProperties: { "^a": { type: "string", minLength: 2 }, "^b": {} },
      additionalProperties: false,
    },
    losses: [],
  });
});

verifies("dialects:anthropic", "a property with a rejected name moves to the description", () => {
  const schema = {
    type: "object",
    properties: { id: { type: "string" }, "filter[name]": { type: "string" } },
    required: ["id", "filter[name]"],
  };
  expect(projectSchema(schema, "anthropic")).toEqual({
    schema: {
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
      description: '(also accepts "filter[name]": {"type":"string"})',
    },
    losses: [{ at: "/properties", keyword: "filter[name]", why: "moved" }],
  });
  expect(projectSchema(schema, "openai").schema).toBe(schema);
});

verifies("dialects:openai", "arrays get items, and enum or not at the root moves to the description", () => {
  const schema = {
    type: "object",
    properties: {
      list: { type: ["array", "null"] },
      pair: { type: "array", prefixItems: [{ type: "array" }] },
    },
    not: { required: ["list"] },
  };
  expect(projectSchema(schema, "openai")).toEqual({
    schema: {
      type: "object",
      properties: {
        list: { type: ["array", "null"], items: {} },
        pair: { type: "array", prefixItems: [{ type: "array", items: {} }], items: {} },
      },
      description: '(not: {"required":["list"]})',
    },
    losses: [{ at: "", keyword: "not", why: "moved" }],
  });
});

verifies("dialects:gemini", "null becomes the flag nullable", () => {
  const nullable = { it: { type: "string", nullable: true }, losses: [] };
  expect(gemini({ type: ["string", "null"] })).toEqual(nullable);
  expect(gemini({ anyOf: [{ type: "string" }, { type: "null" }] })).toEqual(nullable);
  expect(gemini({ oneOf: [{ type: "null" }, { type: "string" }] })).toEqual(nullable);
  expect(gemini({ type: "null" })).toEqual({ it: { type: "null" }, losses: [] });
  expect(
    gemini({ anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }], title: "T" }).it,
  ).toEqual({
    anyOf: [{ type: "string", title: "T", nullable: true }, { type: "integer" }],
  });
});

verifies("dialects:gemini", "string values stay an enum, other values move to the description", () => {
  expect(gemini({ const: "a" })).toEqual({ it: { type: "string", enum: ["a"] }, losses: [] });
  expect(gemini({ enum: ["a", null] })).toEqual({
    it: { type: "string", enum: ["a"], nullable: true },
    losses: [],
  });
  expect(gemini({ enum: [1, 2] })).toEqual({
    it: { type: "integer", description: "(enum: [1,2])" },
    losses: ["/properties/it enum moved"],
  });
  expect(gemini({ type: "string", enum: ["", "a"], description: "Sort." }).it).toEqual({
    type: "string",
    description: 'Sort. (enum: ["","a"])',
  });
});

verifies(
  "dialects:gemini",
  "rejected constraints move to the description, those for other types are removed",
  () => {
    expect(
      gemini({ type: "integer", exclusiveMinimum: 0, minimum: 0, maxLength: 3, format: "int64" }),
    ).toEqual({
      it: { type: "integer", minimum: 0, format: "int64", description: "(exclusiveMinimum: 0)" },
      losses: ["/properties/it exclusiveMinimum moved"],
    });
    expect(gemini({ type: "string", format: "uri", pattern: "^a" }).it).toEqual({
      type: "string",
      pattern: "^a",
      description: '(format: "uri")',
    });
    expect(gemini({ type: "object", properties: {}, additionalProperties: false, required: ["a"] })).toEqual({
      it: { type: "object" },
      losses: ["/properties/it additionalProperties dropped", "/properties/it required dropped"],
    });
  },
);

verifies(
  "dialects:gemini",
  "arrays get items, tuples are widened, allOf is merged, a schema without type becomes a union",
  () => {
    expect(gemini({ type: "array" }).it).toEqual({ type: "array", items: { type: "string" } });
    expect(
      gemini({ type: "array", prefixItems: [{ type: "number" }, { type: "number" }], minItems: 2 }),
    ).toEqual({
      it: { type: "array", minItems: 2, items: { type: "number" } },
      losses: ["/properties/it prefixItems widened"],
    });
    expect(gemini({ allOf: [{ type: "string" }, { minLength: 1 }, { minLength: 3 }] }).it).toEqual({
      type: "string",
      minLength: 3,
    });
    expect(gemini({ properties: { a: { minimum: 1 } } }).it).toEqual({
      type: "object",
      properties: { a: { type: "number", minimum: 1 } },
    });
    expect(gemini({ description: "Any." }).it).toEqual({
      anyOf: [
        { type: "string", description: "Any.", nullable: true },
        { type: "number" },
        { type: "boolean" },
        { type: "object" },
        { type: "array", items: { type: "string" } },
      ],
    });
  },
);
