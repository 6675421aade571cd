import { isRecord } from "./members.ts";

/** The types of JSON Schema. */
export const JSON_TYPES: ReadonlySet<unknown> = new Set([
  "object",
  "array",
  "string",
  "number",
  "integer",
  "boolean",
  "null",
]);

/** Keywords whose value is one schema. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Keywords whose value is a list of schemas. */
export const LIST_KEYWORDS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

/** Keywords whose value maps names to schemas. */
export const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** Loosening the schema inside one of these can make the outer schema stricter: `not: {}` accepts nothing. */
export const NON_MONOTONIC_KEYWORDS: ReadonlySet<string> = new Set(["not", "if", "contains"]);

/** Keywords that only support references, drafts and authors. They have no effect once references are inlined. */
export const META_KEYWORDS: ReadonlySet<string> = new Set([
  "$anchor",
  "$comment",
  "$defs",
  "$dynamicAnchor",
  "$id",
  "$recursiveAnchor",
  "$schema",
  "$vocabulary",
  "definitions",
]);

/** Keywords with a plain value, and the check for that value. Keywords in none of these tables may hold any value. */
export const VALUE_KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["contentEncoding", isString],
  ["contentMediaType", isString],
  ["dependentRequired", (value) => isRecord(value) && Object.values(value).every(isNameList)],
  ["deprecated", isBoolean],
  ["description", isString],
  ["enum", Array.isArray],
  ["examples", Array.isArray],
  ["exclusiveMaximum", Number.isFinite],
  ["exclusiveMinimum", Number.isFinite],
  ["format", isString],
  ["maxContains", isCount],
  ["maxItems", isCount],
  ["maxLength", isCount],
  ["maxProperties", isCount],
  ["maximum", Number.isFinite],
  ["minContains", isCount],
  ["minItems", isCount],
  ["minLength", isCount],
  ["minProperties", isCount],
  ["minimum", Number.isFinite],
  ["multipleOf", (value) => Number.isFinite(value) && (value as number) > 0],
  ["pattern", isString],
  ["readOnly", isBoolean],
  ["required", isNameList],
  ["title", isString],
  ["type", isType],
  ["uniqueItems", isBoolean],
  ["writeOnly", isBoolean],
]);

const ANNOTATIONS: ReadonlySet<string> = new Set([
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "deprecated",
  "description",
  "examples",
  "format",
  "readOnly",
  "title",
  "writeOnly",
]);

/** Whether a keyword can make a value invalid. Annotations and unknown keywords cannot. */
export function isAssertion(keyword: string): boolean {
  if (ANNOTATIONS.has(keyword)) return false;
  return (
    keyword === "const" ||
    VALUE_KEYWORDS.has(keyword) ||
    SCHEMA_KEYWORDS.has(keyword) ||
    LIST_KEYWORDS.has(keyword) ||
    MAP_KEYWORDS.has(keyword)
  );
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** A list of distinct names. */
function isNameList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString) && !hasDuplicates(value);
}

/** Most lists hold a few names, for which a linear search is cheaper than building a set. */
function hasDuplicates(list: readonly unknown[]): boolean {
  if (list.length > 16) return new Set(list).size < list.length;
  return list.some((item, index) => list.indexOf(item) !== index);
}

function isType(value: unknown): boolean {
  if (!Array.isArray(value)) return JSON_TYPES.has(value);
  return (
    value.length > 0 && value.every((type) => JSON_TYPES.has(type)) && new Set(value).size === value.length
  );
}
