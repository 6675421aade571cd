import { isRecord } from "../../core/internal.ts";
import type { JsonSchema } from "../../llm/index.ts";

/** Keywords that hold a schema or a list of schemas. Not `not`: opening a schema inside it would make the whole stricter. */
const HOLDS_SCHEMAS: ReadonlySet<string> = new Set([
  "additionalItems",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "items",
  "oneOf",
  "prefixItems",
  "then",
]);

const HOLDS_NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** Only a schema that contains itself reaches these limits. It is cut there. */
const MAX_DEPTH = 256;
const MAX_NODES = 200_000;

interface Walk {
  depth: number;
  nodes: number;
}

/**
 * Allows additional members in every object of a schema, because servers may send more than they declare. Everything
 * else stays, including required properties. Accepts any value and does not change it.
 */
export function applyPassthrough(schema: JsonSchema): JsonSchema {
  return pass(schema, { depth: 0, nodes: 0 }) as JsonSchema;
}

function pass(schema: unknown, walk: Walk): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  walk.nodes++;
  if (walk.depth >= MAX_DEPTH || walk.nodes > MAX_NODES) return {};
  walk.depth++;
  const passed = Array.isArray(schema)
    ? schema.map((item) => pass(item, walk))
    : open(schema as JsonSchema, walk);
  walk.depth--;
  return passed;
}

function open(schema: JsonSchema, walk: Walk): JsonSchema {
  const members = Object.entries(schema).map(([name, value]) => [name, passMember(name, value, walk)]);
  const passed = Object.fromEntries(members) as JsonSchema;
  return isObjectSchema(schema) ? { ...passed, additionalProperties: true } : passed;
}

function passMember(keyword: string, value: unknown, walk: Walk): unknown {
  if (HOLDS_SCHEMAS.has(keyword)) return pass(value, walk);
  if (!HOLDS_NAMED_SCHEMAS.has(keyword) || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, pass(schema, walk)]));
}

function isObjectSchema({ type, properties }: JsonSchema): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || isRecord(properties);
}
