import { isRecord } from "../../core/internal.ts";
import type { JsonSchema } from "../../llm/index.ts";
import { mapChildSchemas } from "../../llm/internal.ts";
import { jsonSchemaToTypeBox } from "./json-schema-to-type-box.ts";

/** Converts a listed tool's `inputSchema` to the parameters of an agent's tool. */
export function convertMCPInputSchema(inputSchema: unknown): JsonSchema {
  return applyPassthrough(jsonSchemaToTypeBox(inputSchema));
}

/** Like `convertMCPInputSchema`, for `outputSchema`. Returns `undefined` if there is none. */
export function convertMCPOutputSchema(outputSchema: unknown): JsonSchema | undefined {
  return outputSchema ? applyPassthrough(jsonSchemaToTypeBox(outputSchema)) : undefined;
}

/** Their schemas stay as they are. Opening one inside `not` or `if` would make the whole schema stricter. */
const LEFT_CLOSED: ReadonlySet<string> = new Set([
  "additionalProperties",
  "contentSchema",
  "dependencies",
  "if",
  "not",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
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
  if (!isRecord(schema)) return schema;
  walk.nodes++;
  if (walk.depth >= MAX_DEPTH || walk.nodes > MAX_NODES) return {};
  walk.depth++;
  const passed = mapChildSchemas(schema, (child, keyword) =>
    LEFT_CLOSED.has(keyword) ? child : pass(child, walk),
  );
  walk.depth--;
  return isObjectSchema(schema) ? { ...passed, additionalProperties: true } : passed;
}

function isObjectSchema({ type, properties }: JsonSchema): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || isRecord(properties);
}
