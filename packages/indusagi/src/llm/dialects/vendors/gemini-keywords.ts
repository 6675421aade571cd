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
