import { type JsonSchema, projectSchema, schemaBudgetProblem } from "../../llm/index.ts";

/** Whether a value is an object with members, as a schema is. */
export function isRecord(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A schema that can be walked without care: references written out, cycles and depths cut. One that is so already
 * comes back as it is. What the portable projection knows of references and budgets is used, not repeated.
 */
export function boundedSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  if (schemaBudgetProblem(schema) === undefined && !hasReference(schema)) return schema;
  if (schema["type"] === "object" || isRecord(schema["properties"])) {
    return projectSchema(schema, "portable").schema;
  }
  return projectAsMember(schema);
}

/** A projection's root is always an object: any other schema is projected as the member of one, its definitions beside it. */
function projectAsMember(schema: JsonSchema): unknown {
  const { $defs, definitions } = schema;
  const holder = {
    type: "object",
    properties: { it: schema },
    ...(isRecord($defs) ? { $defs } : {}),
    ...(isRecord(definitions) ? { definitions } : {}),
  };
  const { properties } = projectSchema(holder, "portable").schema;
  return isRecord(properties) ? properties["it"] : {};
}

/** Walks a schema within the budget of nodes. A property of that name counts too: projecting once too often is no harm. */
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
