import type { Members } from "../../members.ts";
import { APPLIES_TO } from "./gemini-keywords.ts";

/** The types of a schema that does not restrict its type. */
const ANY_TYPE: readonly string[] = ["string", "number", "boolean", "object", "array", "null"];

/** A schema's types: those it declares, else those of its `enum` values, else those its keywords apply to. */
export function typesOf(schema: Members): readonly string[] {
  const declared = schema["type"];
  if (typeof declared === "string") return [declared];
  if (Array.isArray(declared)) return declared as readonly string[];
  const values = schema["enum"];
  if (Array.isArray(values) && values.length > 0) return [...new Set(values.map(typeOfValue))];
  const implied = new Set(
    Object.keys(schema).flatMap((keyword) => [...(APPLIES_TO.get(keyword) ?? [])].slice(0, 1)),
  );
  if (implied.size > 0) return [...implied];
  return typeof schema["format"] === "string" ? ["string"] : ANY_TYPE;
}

/** Whether a value has a type. An integer is a number too. */
export function isOfType(value: unknown, type: string): boolean {
  const actual = typeOfValue(value);
  return actual === type || (actual === "integer" && type === "number");
}

function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
