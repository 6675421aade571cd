import { isRecord } from "../../core/internal.ts";
import type { JsonSchema } from "../../llm/index.ts";

export interface Conversion {
  /** Converts nested schemas. */
  readonly convert: (schema: unknown) => JsonSchema;
  /** Whether the schema is next to a union or an intersection, which may declare the properties. */
  readonly isNextToUnion: boolean;
}

/** Converts by the declared type; without one, by the type that the keywords imply; else to a schema that accepts anything. */
export function convertTyped(schema: JsonSchema, conversion: Conversion): JsonSchema {
  const type = KNOWN.get(schema["type"]);
  if (type) return type(schema, conversion);
  if (isRecord(schema["properties"])) return convertObject(schema, conversion);
  return isRecord(schema["items"]) || Array.isArray(schema["items"]) ? convertArray(schema, conversion) : {};
}

export function isTypeName(type: unknown): boolean {
  return KNOWN.has(type);
}

type Convert = (schema: JsonSchema, conversion: Conversion) => JsonSchema;

/** An integer becomes `number` too, as in the sister editions. */
const convertNumber: Convert = (schema) => ({
  type: "number",
  ...kept(schema, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], "number"),
});

const KNOWN: ReadonlyMap<unknown, Convert> = new Map<unknown, Convert>([
  ["array", convertArray],
  ["object", convertObject],
  [
    "string",
    (schema) => ({
      type: "string",
      ...kept(schema, ["minLength", "maxLength"], "number"),
      ...kept(schema, ["pattern", "format"], "string"),
    }),
  ],
  ["number", convertNumber],
  ["integer", convertNumber],
  ["boolean", () => ({ type: "boolean" })],
  ["null", () => ({ type: "null" })],
]);

/** The keywords whose value has the right type; others are dropped. */
function kept(schema: JsonSchema, keywords: readonly string[], type: "number" | "string"): JsonSchema {
  const legal = keywords.filter((keyword) => typeof schema[keyword] === type);
  return Object.fromEntries(legal.map((keyword) => [keyword, schema[keyword]]));
}

function convertArray(schema: JsonSchema, { convert }: Conversion): JsonSchema {
  const { items, prefixItems, additionalItems } = schema;
  // In older drafts a tuple is a list of `items`, with `additionalItems` for the rest.
  const positions = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : [];
  const rest = Array.isArray(items) ? additionalItems : items;
  return {
    type: "array",
    ...(positions.length > 0 ? { prefixItems: positions.map(convert) } : {}),
    items: convert(rest),
    ...kept(schema, ["minItems", "maxItems"], "number"),
  };
}

function convertObject(schema: JsonSchema, { convert, isNextToUnion }: Conversion): JsonSchema {
  const { additionalProperties, patternProperties } = schema;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : undefined;
  const required = requiredNames(schema["required"]).filter(
    (name) => isNextToUnion || (properties !== undefined && Object.hasOwn(properties, name)),
  );
  const hasRest = typeof additionalProperties === "boolean" || isRecord(additionalProperties);
  return {
    type: "object",
    ...(properties || !isNextToUnion ? { properties: converted(properties ?? {}, convert) } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(isRecord(patternProperties) ? { patternProperties: converted(patternProperties, convert) } : {}),
    ...(hasRest
      ? {
          additionalProperties:
            typeof additionalProperties === "boolean" ? additionalProperties : convert(additionalProperties),
        }
      : {}),
  };
}

function requiredNames(required: unknown): readonly string[] {
  if (!Array.isArray(required)) return [];
  return [...new Set(required.filter((name) => typeof name === "string"))];
}

function converted(schemas: JsonSchema, convert: (schema: unknown) => JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convert(schema)]));
}
