import { verifies } from "@indus/testkit";
import { projectSchema } from "indusagi/llm";
import { expect } from "vitest";
import { normalizeSchema } from "../../../src/interop/schema/index.ts";

/** The schema that pydantic generates for a model with an optional field, an enum, a nested model and a recursive one. */
const PYDANTIC = {
  $defs: {
    Filter: {
      properties: {
        field: { title: "Field", type: "string" },
        any_of: {
          anyOf: [{ items: { $ref: "#/$defs/Filter" }, type: "array" }, { type: "null" }],
          default: null,
          title: "Any Of",
        },
      },
      required: ["field"],
      title: "Filter",
      type: "object",
    },
    Order: { enum: ["asc", "desc"], title: "Order", type: "string" },
  },
  properties: {
    query: { description: "What to search", minLength: 1, title: "Query", type: "string" },
    limit: {
      anyOf: [{ exclusiveMinimum: 0, type: "integer" }, { type: "null" }],
      default: null,
      title: "Limit",
    },
    order: { $ref: "#/$defs/Order", default: "asc", description: "Sort order" },
    filter: { anyOf: [{ $ref: "#/$defs/Filter" }, { type: "null" }], default: null },
  },
  required: ["query"],
  title: "SearchArguments",
  type: "object",
};

verifies(
  "dialects:real-world",
  "pydantic: the portable form loses only the second round of a recursion",
  () => {
    const order = {
      enum: ["asc", "desc"],
      title: "Order",
      type: "string",
      default: "asc",
      description: "Sort order",
    };
    const cut = { type: "object", title: "Filter", description: "(recursive: same as Filter)" };
    expect(projectSchema(PYDANTIC, "portable")).toEqual({
      schema: {
        type: "object",
        title: "SearchArguments",
        required: ["query"],
        properties: {
          query: PYDANTIC.properties.query,
          limit: PYDANTIC.properties.limit,
          order,
          filter: {
            default: null,
            anyOf: [
              {
                ...PYDANTIC.$defs.Filter,
                properties: {
                  field: PYDANTIC.$defs.Filter.properties.field,
                  any_of: {
                    ...PYDANTIC.$defs.Filter.properties.any_of,
                    anyOf: [{ items: cut, type: "array" }, { type: "null" }],
                  },
                },
              },
              { type: "null" },
            ],
          },
        },
      },
      losses: [
        {
          at: "/properties/filter/anyOf/0/properties/any_of/anyOf/0/items",
          keyword: "$ref",
          why: "recursive",
        },
      ],
    });
  },
);

verifies(
  "dialects:real-world",
  "pydantic: Gemini's form keeps every parameter and describes the rest",
  () => {
    expect(projectSchema(PYDANTIC, "gemini").schema["properties"]).toMatchObject({
      query: { type: "string", minLength: 1 },
      limit: { type: "integer", nullable: true, description: "(exclusiveMinimum: 0)" },
      order: { type: "string", enum: ["asc", "desc"], default: "asc" },
      filter: {
        type: "object",
        nullable: true,
        properties: { field: { type: "string" }, any_of: { type: "array", nullable: true } },
      },
    });
  },
);

verifies(
  "dialects:real-world",
  "pydantic: the sister editions' normaliser turns such parameters into empty objects",
  () => {
    const closed = { type: "object", properties: {} };
    expect(normalizeSchema(PYDANTIC)["properties"]).toMatchObject({
      limit: closed,
      order: closed,
      filter: closed,
    });
  },
);

/** The schema that zod generates for a discriminated union inside a strict object. */
const ZOD = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: {
    action: {
      anyOf: [
        {
          type: "object",
          properties: { kind: { type: "string", const: "move" }, to: { type: "string", format: "uuid" } },
          required: ["kind", "to"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: { kind: { type: "string", const: "stop" } },
          required: ["kind"],
          additionalProperties: false,
        },
      ],
    },
    tags: { type: "array", items: { type: "string" }, minItems: 1 },
    extra: { type: "object", additionalProperties: {} },
    size: { type: "array", minItems: 2, maxItems: 2, items: [{ type: "number" }, { type: "number" }] },
  },
  required: ["action"],
  additionalProperties: false,
};

verifies("dialects:real-world", "zod: every dialect keeps the union and its constants", () => {
  for (const dialect of ["portable", "anthropic", "openai"] as const) {
    const { schema, losses } = projectSchema(ZOD, dialect);
    expect(losses).toEqual([]);
    const properties = schema["properties"] as Record<string, unknown>;
    expect(properties["action"]).toBe(ZOD.properties.action);
    expect(properties["size"]).toMatchObject({ prefixItems: [{ type: "number" }, { type: "number" }] });
    expect(schema["additionalProperties"]).toBe(false);
    expect(schema["$schema"]).toBeUndefined();
  }
  const { action } = projectSchema(ZOD, "gemini").schema["properties"] as { action: unknown };
  expect(action).toEqual({
    anyOf: [
      {
        type: "object",
        properties: {
          kind: { type: "string", enum: ["move"] },
          to: { type: "string", description: '(format: "uuid")' },
        },
        required: ["kind", "to"],
      },
      { type: "object", properties: { kind: { type: "string", enum: ["stop"] } }, required: ["kind"] },
    ],
  });
});

verifies("dialects:real-world", "zod with a name: a reference at the root is followed", () => {
  const named = {
    $ref: "#/definitions/Arguments",
    definitions: { Arguments: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
    $schema: "http://json-schema.org/draft-07/schema#",
  };
  expect(projectSchema(named, "portable")).toEqual({ schema: named.definitions.Arguments, losses: [] });
});

/** A tool as a hand-written server for a code forge lists it. */
const FORGE = {
  type: "object",
  properties: {
    owner: { type: "string", description: "Repository owner" },
    repo: { type: "string", description: "Repository name" },
    state: { type: "string", enum: ["open", "closed", "all"] },
    labels: { type: "array", items: { type: "string" } },
    perPage: { type: "number", minimum: 1, maximum: 100 },
  },
  required: ["owner", "repo"],
};

verifies("dialects:real-world", "a plain listing is legal everywhere", () => {
  for (const dialect of ["portable", "anthropic", "openai", "gemini"] as const) {
    expect(projectSchema(FORGE, dialect).schema).toBe(FORGE);
  }
});
