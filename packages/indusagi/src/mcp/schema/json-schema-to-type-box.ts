import { isRecord } from "../../core/internal.ts";
import { type JsonSchema, projectSchema, schemaBudgetProblem } from "../../llm/index.ts";
import { type Conversion, convertTyped, isTypeName } from "./convert-typed.ts";

/**
 * Converts a JSON Schema to the JSON form that TypeBox builds: literals for fixed values, `anyOf` for unions, `allOf` for
 * intersections, and `number` also for integers. Accepts any value, never throws, and does not change its argument. The
 * result accepts every value that the given schema accepts, except that an untyped schema with properties becomes an
 * object schema. Optional properties stay optional.
 */
export function jsonSchemaToTypeBox(schema: unknown): JsonSchema {
  // Schemas next to a union are converted twice. Without the cache the time would double at every level.
  const cache = new Map<unknown, JsonSchema>();
  const convert = (inner: unknown): JsonSchema => {
    const known = cache.get(inner) ?? convertNode(inner, convert);
    cache.set(inner, known);
    return known;
  };
  return convert(boundedSchema(schema));
}

/**
 * Returns a schema that is safe to walk: without references, cycles and excessive depth. Returns the same schema if it
 * is already safe. Otherwise the portable projection resolves and cuts it.
 */
function boundedSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  if (schemaBudgetProblem(schema) === undefined && !hasReference(schema)) return schema;
  if (schema["type"] === "object" || isRecord(schema["properties"])) {
    return projectSchema(schema, "portable").schema;
  }
  return projectAsMember(schema);
}

/** The root of a projection must be an object schema, so any other schema is projected as a property of one. */
function projectAsMember(schema: JsonSchema): unknown {
  const { $defs, definitions } = schema;
  const holder = {
    type: "object",
    properties: { it: withMovedReferences(schema) },
    ...(isRecord($defs) ? { $defs } : {}),
    ...(isRecord(definitions) ? { definitions } : {}),
  };
  const { properties } = projectSchema(holder, "portable").schema;
  return isRecord(properties) ? properties["it"] : {};
}

/** The root of the schema is a property now. A schema over the budget keeps its references: it is cut anyway. */
function withMovedReferences(schema: JsonSchema): unknown {
  if (schemaBudgetProblem(schema) !== undefined) return schema;
  const isMoved = (ref: string): boolean => ref === "#" || /^#\/(?!\$defs\/|definitions\/)/.test(ref);
  try {
    return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
      key === "$ref" && typeof value === "string" && isMoved(value)
        ? `#/properties/it${value.slice(1)}`
        : value,
    );
  } catch {
    return schema; // It contains something that is not JSON.
  }
}

/** A property with the name `$ref` counts too: projecting without need does no harm. */
function hasReference(schema: JsonSchema): boolean {
  const waiting: object[] = [schema];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (Object.hasOwn(node, "$ref") || Object.hasOwn(node, "$dynamicRef")) return true;
    for (const member of Object.values(node) as unknown[]) {
      if (typeof member === "object" && member !== null) waiting.push(member);
    }
  }
  return false;
}

/** Keywords that any schema may have. */
const ANNOTATIONS: readonly string[] = ["title", "description", "default"];

function convertNode(schema: unknown, convert: Conversion["convert"]): JsonSchema {
  if (schema === false) return { not: {} };
  if (!isRecord(schema)) return {};
  const annotations = ANNOTATIONS.filter((name) => schema[name] !== undefined).map((name) => [
    name,
    schema[name],
  ]);
  return { ...convertShape(schema, { convert, isNextToUnion: false }), ...Object.fromEntries(annotations) };
}

/** The first rule that applies decides. */
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
    return combine({ rest, keyword: "anyOf", parts: branches.map(convert) }, convert);
  }
  if (isList(allOf)) {
    return combine({ rest: without(schema, "allOf"), keyword: "allOf", parts: allOf.map(convert) }, convert);
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

/** A schema that accepts what any branch accepts. */
function unite(branches: readonly JsonSchema[]): JsonSchema {
  return simplified(branches) ?? { anyOf: branches };
}

/** A schema that accepts what all parts accept. */
function intersect(parts: readonly JsonSchema[]): JsonSchema {
  const isObject = parts.every((part) => part["type"] === "object");
  return simplified(parts) ?? (isObject ? { type: "object", allOf: parts } : { allOf: parts });
}

/** The only schema of a list, or `{}` if all of them accept everything. */
function simplified(schemas: readonly JsonSchema[]): JsonSchema | undefined {
  return schemas.length === 1 ? schemas[0] : schemas.every(isAny) ? {} : undefined;
}

interface Combination {
  /** The schema without its union or intersection. */
  readonly rest: JsonSchema;
  readonly keyword: "anyOf" | "allOf";
  readonly parts: readonly JsonSchema[];
}

/**
 * Combines a union or intersection with the rest of its schema. Properties next to an `anyOf` of required names are the
 * tool's parameters and must be kept.
 */
function combine({ rest, keyword, parts }: Combination, convert: Conversion["convert"]): JsonSchema {
  const own = convertShape(rest, { convert, isNextToUnion: true });
  const whole = (): JsonSchema => convertShape(rest, { convert, isNextToUnion: false });
  const combined = keyword === "anyOf" ? unite(parts) : intersect(parts);
  if (isAny(own)) return { ...own, ...combined };
  if (parts.every(isAny)) return { ...combined, ...whole() };
  if (isFixed(own)) return own;
  // Two unions cannot be merged into one list, so they become an intersection.
  if (own["anyOf"] !== undefined) return intersect([whole(), combined]);
  if (keyword === "anyOf" && parts.length > 1) return { ...own, anyOf: parts };
  const others = Array.isArray(own["allOf"]) ? (own["allOf"] as JsonSchema[]) : [];
  return { ...own, allOf: [...others, ...parts] };
}

function without(schema: JsonSchema, ...keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

/** True if a schema is so narrow that nothing next to it can narrow it further. */
function isFixed(schema: JsonSchema): boolean {
  return schema["type"] === "null" || Object.hasOwn(schema, "const") || Object.hasOwn(schema, "not");
}

/** True if a schema accepts everything. */
function isAny(schema: unknown): boolean {
  return isRecord(schema) && Object.keys(schema).every((keyword) => ANNOTATIONS.includes(keyword));
}
