import type { JsonSchema } from "../../llm/index.ts";
import { boundedSchema, isRecord } from "./bounded-schema.ts";
import { type Conversion, convertTyped, isTypeName } from "./convert-typed.ts";

/**
 * A JSON Schema in the JSON form that TypeBox would have built for it: literals for fixed values, `anyOf` for every
 * union, `allOf` for intersections, and `number` for integers, too. Takes any value, never throws, changes nothing it
 * is given. What the given schema accepts the new one accepts (but an untyped schema with properties is taken for an
 * object's), and a property that was optional stays so.
 */
export function jsonSchemaToTypeBox(schema: unknown): JsonSchema {
  // What is beside a union is looked at twice; without a memory, twice at every level would be for ever.
  const made = new Map<unknown, JsonSchema>();
  const convert = (inner: unknown): JsonSchema => {
    const known = made.get(inner) ?? convertNode(inner, convert);
    made.set(inner, known);
    return known;
  };
  return convert(boundedSchema(schema));
}

/** Words that go with a schema of any kind. */
const ANNOTATIONS: readonly string[] = ["title", "description", "default"];

function convertNode(schema: unknown, convert: Conversion["convert"]): JsonSchema {
  if (schema === false) return { not: {} };
  if (!isRecord(schema)) return {};
  const words = ANNOTATIONS.filter((word) => schema[word] !== undefined).map((word) => [word, schema[word]]);
  return { ...convertShape(schema, { convert, isBeside: false }), ...Object.fromEntries(words) };
}

/** The first rule that fits decides. */
function convertShape(schema: JsonSchema, conversion: Conversion): JsonSchema {
  const { convert } = conversion;
  const { type, enum: values, oneOf, anyOf, allOf } = schema;
  if (schema["not"] === true || isAny(schema["not"])) return { not: {} };
  if (type === "null") return { type: "null" };
  if (isList(values)) return unite(values.map(literal));
  if (Object.hasOwn(schema, "const")) return literal(schema["const"]);
  const branches = isList(oneOf) ? oneOf : anyOf;
  if (isList(branches)) {
    const rest = without(schema, "oneOf", "anyOf");
    return beside({ rest, keyword: "anyOf", parts: branches.map(convert) }, convert);
  }
  if (isList(allOf)) {
    return beside({ rest: without(schema, "allOf"), keyword: "allOf", parts: allOf.map(convert) }, convert);
  }
  const types = Array.isArray(type) ? [...new Set(type)].filter(isTypeName) : [];
  if (types.length > 0) return unite(types.map((one) => convertTyped({ ...schema, type: one }, conversion)));
  return convertTyped(schema, conversion);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function literal(value: unknown): JsonSchema {
  if (value === null) return { type: "null" };
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean"
    ? { const: value, type }
    : { const: value };
}

/** One schema that takes what any of them takes. */
function unite(branches: readonly JsonSchema[]): JsonSchema {
  return alone(branches) ?? { anyOf: branches };
}

/** One schema that takes what all of them take. */
function intersect(parts: readonly JsonSchema[]): JsonSchema {
  const isObject = parts.every((part) => part["type"] === "object");
  return alone(parts) ?? (isObject ? { type: "object", allOf: parts } : { allOf: parts });
}

/** A list of one is that one, and a list that refuses nothing is nothing that anybody needs to read. */
function alone(schemas: readonly JsonSchema[]): JsonSchema | undefined {
  return schemas.length === 1 ? schemas[0] : schemas.every(isAny) ? {} : undefined;
}

interface Combination {
  /** What the schema says beside its union or intersection. */
  readonly rest: JsonSchema;
  readonly keyword: "anyOf" | "allOf";
  readonly parts: readonly JsonSchema[];
}

/**
 * A union or intersection together with what the schema says beside it: properties that stand next to an `anyOf`
 * of required names are the tool's parameters, and must not be lost to it.
 */
function beside({ rest, keyword, parts }: Combination, convert: Conversion["convert"]): JsonSchema {
  const own = convertShape(rest, { convert, isBeside: true });
  const whole = (): JsonSchema => convertShape(rest, { convert, isBeside: false });
  const combined = keyword === "anyOf" ? unite(parts) : intersect(parts);
  if (isAny(own)) return { ...own, ...combined };
  if (parts.every(isAny)) return { ...combined, ...whole() };
  if (isFixed(own)) return own;
  // A list of the same keyword cannot be joined with another, and a union beside a union would change its place.
  if (own["anyOf"] !== undefined) return intersect([whole(), combined]);
  if (keyword === "anyOf" && parts.length > 1) return { ...own, anyOf: parts };
  const others = Array.isArray(own["allOf"]) ? (own["allOf"] as JsonSchema[]) : [];
  return { ...own, allOf: [...others, ...parts] };
}

function without(schema: JsonSchema, ...keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

/** Whether a schema leaves no choice that something beside it could narrow. */
function isFixed(schema: JsonSchema): boolean {
  return schema["type"] === "null" || Object.hasOwn(schema, "const") || Object.hasOwn(schema, "not");
}

/** Whether a schema accepts everything, whatever words go with it. */
function isAny(schema: unknown): boolean {
  return isRecord(schema) && Object.keys(schema).every((keyword) => ANNOTATIONS.includes(keyword));
}
