import type { Members } from "../../members.ts";
import { KEYWORDS } from "../../schema-keywords.ts";

/** The types that a keyword applies to. A keyword not listed here applies to all types. */
export const APPLIES_TO: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...[...KEYWORDS].flatMap(([name, { appliesTo: type }]) =>
    type ? [[name, new Set(type === "number" ? [type, "integer"] : [type])] as const] : [],
  ),
  // Gemini only.
  ["propertyOrdering", new Set(["object"])],
]);

/** Keywords that a function's `parameters` accept with any value. Others depend on their value. */
export const SUPPORTED_KEYWORDS: ReadonlySet<string> = new Set([
  "description",
  "example",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "pattern",
  "title",
  "type",
]);

/** The formats accepted for each type. The API rejects the whole request for any other. */
export const SUPPORTED_FORMATS: ReadonlyMap<string, ReadonlySet<unknown>> = new Map([
  ["string", new Set(["date-time", "enum"])],
  ["number", new Set(["double", "float"])],
  ["integer", new Set(["int32", "int64"])],
]);

/** Rejected keywords that help a model when the description contains them. Other rejected keywords are dropped. */
export const DESCRIBABLE_KEYWORDS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "const",
  "contains",
  "contentEncoding",
  "contentMediaType",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "deprecated",
  "else",
  "enum",
  "examples",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "if",
  "maxContains",
  "minContains",
  "multipleOf",
  "not",
  "oneOf",
  "patternProperties",
  "propertyNames",
  "then",
  "uniqueItems",
]);

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
