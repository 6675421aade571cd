import type { Members } from "../walk/members.ts";
import { SPEAKS_OF } from "./gemini-keywords.ts";

/** What a schema without a single word about types may hold. */
const ANY_TYPE: readonly string[] = ["string", "number", "boolean", "object", "array", "null"];

/** The types a schema is about: those it declares, else those of its fixed values, else those its keywords speak of. */
export function typesOf(schema: Members): readonly string[] {
  const declared = schema["type"];
  if (typeof declared === "string") return [declared];
  if (Array.isArray(declared)) return declared as readonly string[];
  const values = schema["enum"];
  if (Array.isArray(values) && values.length > 0) return [...new Set(values.map(typeOfValue))];
  const spoken = new Set(
    Object.keys(schema).flatMap((keyword) => [...(SPEAKS_OF.get(keyword) ?? [])].slice(0, 1)),
  );
  if (spoken.size > 0) return [...spoken];
  return typeof schema["format"] === "string" ? ["string"] : ANY_TYPE;
}

/** Whether a fixed value is of a type. */
export function isOfType(value: unknown, type: string): boolean {
  const actual = typeOfValue(value);
  return actual === type || (actual === "integer" && type === "number");
}

function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
