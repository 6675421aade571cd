import { isRecord, sameJson } from "../../../core/internal.ts";
import { type Members } from "../../members.ts";

/** A schema that accepts what any of the given schemas accepts. Schemas of fixed values become one `enum`. */
export function unionOf(schemas: readonly unknown[]): unknown {
  const values = enumOf(schemas);
  if (values) return values;
  const distinct = schemas.length > MAX_COMPARED ? schemas : schemas.filter(isFirstOccurrence);
  return distinct.length === 1 ? distinct[0] : { anyOf: distinct };
}

/** Above this number, comparing every pair costs more than keeping duplicates. */
const MAX_COMPARED = 64;

function isFirstOccurrence(schema: unknown, index: number, all: readonly unknown[]): boolean {
  return all.findIndex((other) => sameJson(schema, other)) === index;
}

function isFixedValueKeyword(keyword: string): boolean {
  return ["type", "const", "enum", "title", "description"].includes(keyword);
}

/** `{ enum: [...] }` with all values, if every schema is only a list of fixed values. */
function enumOf(schemas: readonly unknown[]): Members | undefined {
  if (schemas.length < 2) return undefined;
  const values = new Set<unknown>();
  const types = new Set<unknown>();
  for (const schema of schemas) {
    if (!isRecord(schema) || !Object.keys(schema).every(isFixedValueKeyword)) return undefined;
    const fixed = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
    if (!Array.isArray(fixed)) return undefined;
    for (const value of fixed) values.add(value);
    types.add(schema["type"]);
  }
  const [type] = types;
  return { ...(types.size === 1 && typeof type === "string" ? { type } : {}), enum: [...values] };
}
