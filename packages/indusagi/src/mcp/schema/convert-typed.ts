import type { JsonSchema } from "../../llm/index.ts";
import { isRecord } from "./bounded-schema.ts";

/** What a schema is converted with. */
export interface Conversion {
  /** Converts the schemas inside. */
  readonly convert: (schema: unknown) => JsonSchema;
  /** The schema stands beside a union or an intersection, where the properties may be. */
  readonly isBeside: boolean;
}

/** A schema of one declared type; without one, of the type its keywords speak of; else one that takes anything. */
export function convertTyped(schema: JsonSchema, conversion: Conversion): JsonSchema {
  const type = KNOWN.get(schema["type"]);
  if (type) return type(schema, conversion);
  if (isRecord(schema["properties"])) return convertObject(schema, conversion);
  return isRecord(schema["items"]) || Array.isArray(schema["items"]) ? convertArray(schema, conversion) : {};
}

/** Whether a value is the name of a type. */
export function isTypeName(type: unknown): boolean {
  return KNOWN.has(type);
}

type Convert = (schema: JsonSchema, conversion: Conversion) => JsonSchema;

/** Both kinds of numbers are `number`, as the sister editions have it. */
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

/** The keywords that hold what they may hold; a bound that is no number bounds nothing. */
function kept(schema: JsonSchema, keywords: readonly string[], type: "number" | "string"): JsonSchema {
  const legal = keywords.filter((keyword) => typeof schema[keyword] === type);
  return Object.fromEntries(legal.map((keyword) => [keyword, schema[keyword]]));
}

function convertArray(schema: JsonSchema, { convert }: Conversion): JsonSchema {
  const { items, prefixItems, additionalItems } = schema;
  // Older drafts wrote a tuple as a list of `items`, and the rest as `additionalItems`.
  const places = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : [];
  const rest = Array.isArray(items) ? additionalItems : items;
  return {
    type: "array",
    ...(places.length > 0 ? { prefixItems: places.map(convert) } : {}),
    items: convert(rest),
    ...kept(schema, ["minItems", "maxItems"], "number"),
  };
}

function convertObject(schema: JsonSchema, { convert, isBeside }: Conversion): JsonSchema {
  const { additionalProperties, patternProperties } = schema;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : undefined;
  const required = requiredNames(schema["required"]).filter(
    (name) => isBeside || (properties !== undefined && Object.hasOwn(properties, name)),
  );
  const hasRest = typeof additionalProperties === "boolean" || isRecord(additionalProperties);
  return {
    type: "object",
    ...(properties || !isBeside ? { properties: converted(properties ?? {}, convert) } : {}),
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
