import { isRecord } from "../../core/internal.ts";
import type { Members } from "../members.ts";

/**
 * The JSON types a schema accepts (`integer` counts as `number`), or nothing when it does not restrict them.
 * Never fewer than it really accepts.
 */
export function acceptedTypes(schema: unknown): ReadonlySet<string> | undefined {
  // Some drafts ignore everything next to a reference.
  if (!isRecord(schema) || schema["$ref"] !== undefined) return undefined;
  const types = typesIn(schema);
  if (types.length > 0) return new Set(types.map((type) => (type === "integer" ? "number" : type)));
  if (Array.isArray(schema["enum"])) return new Set(schema["enum"].map(typeOf));
  const branches = [schema["anyOf"] ?? schema["oneOf"] ?? []].flat().map(acceptedTypes);
  if (branches.length === 0 || branches.includes(undefined)) return undefined;
  return new Set(branches.flatMap((branch) => [...(branch ?? [])]));
}

/** The `type` keyword as a list; empty when it is absent. */
export function typesIn(schema: Members): string[] {
  return [schema["type"]].flat().filter((type) => typeof type === "string");
}

/** The schema of a member, or nothing when the object schema does not describe it. */
export function memberSchema(schema: Members, name: string): unknown {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, name)) return properties[name];
  return patternProperties === undefined ? additionalProperties : undefined;
}

/** The schema of every item of a list, or nothing when the items have no common one. */
export function itemSchema({ items, prefixItems }: Members): unknown {
  return prefixItems === undefined && isRecord(items) ? items : undefined;
}

export function requiredNames({ required }: Members): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
