import { isRecord } from "../../core/internal.ts";
import { type JsonSchema, projectSchema, schemaBudgetProblem } from "../../llm/index.ts";

/**
 * Returns a schema that is safe to walk: without references, cycles and excessive depth. Returns the same schema if it
 * is already safe. Otherwise the portable projection resolves and cuts it.
 */
export function boundedSchema(schema: unknown): unknown {
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
