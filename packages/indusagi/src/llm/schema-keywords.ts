import { isRecord } from "../core/internal.ts";
import { type Members, mapElements, mapMembers } from "./members.ts";

/** How a keyword's value holds schemas. `either` is one schema or a list of them. */
export type SubschemaForm = "schema" | "list" | "either" | "map";

/** What one keyword of JSON Schema means, in the drafts from 4 to 2020-12. */
export interface Keyword {
  /** An assertion can make a value invalid. A meta keyword only supports references, drafts and authors. */
  readonly role: "assertion" | "annotation" | "meta" | "reference";
  /** The type of the values that it restricts or describes. Absent: any type. */
  readonly appliesTo?: "object" | "array" | "string" | "number";
  /** Absent if its value holds no schemas. */
  readonly holds?: SubschemaForm;
  /** Its value is data: nothing in it is a keyword. */
  readonly isData?: true;
  /** Whether a value without schemas is valid. Absent if any is. */
  readonly isValid?: (value: unknown) => boolean;
  /** Loosening the schema inside it can make the outer schema stricter: `not: {}` accepts nothing. */
  readonly isNonMonotonic?: true;
  /**
   * The schema or the arguments control what a check costs: regular expressions that backtrack without end (`format` is
   * checked with them too), and comparing all pairs of items.
   */
  readonly isCostly?: true;
  /** Draft 7 does not have it. */
  readonly isModern?: true;
}

/** The keywords of JSON Schema. Any other keyword is an annotation that may hold any value. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ["type", { role: "assertion", isValid: isType }],
  ["const", { role: "assertion", isData: true }],
  ["enum", { role: "assertion", isData: true, isValid: Array.isArray }],
  ["allOf", { role: "assertion", holds: "list" }],
  ["anyOf", { role: "assertion", holds: "list" }],
  ["oneOf", { role: "assertion", holds: "list" }],
  ["not", { role: "assertion", holds: "schema", isNonMonotonic: true }],
  ["if", { role: "assertion", holds: "schema", isNonMonotonic: true }],
  ["then", { role: "assertion", holds: "schema" }],
  ["else", { role: "assertion", holds: "schema" }],

  ["properties", { role: "assertion", holds: "map", appliesTo: "object" }],
  ["patternProperties", { role: "assertion", holds: "map", isCostly: true, appliesTo: "object" }],
  ["additionalProperties", { role: "assertion", holds: "schema", appliesTo: "object" }],
  ["unevaluatedProperties", { role: "assertion", holds: "schema", isModern: true, appliesTo: "object" }],
  ["propertyNames", { role: "assertion", holds: "schema", appliesTo: "object" }],
  ["dependentSchemas", { role: "assertion", holds: "map", isModern: true, appliesTo: "object" }],
  // In old drafts: a member may also be a list of names.
  ["dependencies", { role: "assertion", holds: "map", appliesTo: "object" }],
  ["dependentRequired", { role: "assertion", isValid: isNameMap, isModern: true, appliesTo: "object" }],
  ["required", { role: "assertion", isValid: isNameList, appliesTo: "object" }],
  ["minProperties", { role: "assertion", isValid: isCount, appliesTo: "object" }],
  ["maxProperties", { role: "assertion", isValid: isCount, appliesTo: "object" }],

  // A list of `items`, with `additionalItems` for the rest, is the tuple of old drafts.
  ["items", { role: "assertion", holds: "either", appliesTo: "array" }],
  ["additionalItems", { role: "assertion", holds: "schema", appliesTo: "array" }],
  ["prefixItems", { role: "assertion", holds: "list", isModern: true, appliesTo: "array" }],
  ["unevaluatedItems", { role: "assertion", holds: "schema", isModern: true, appliesTo: "array" }],
  ["contains", { role: "assertion", holds: "schema", isNonMonotonic: true, appliesTo: "array" }],
  ["minContains", { role: "assertion", isValid: isCount, isModern: true, appliesTo: "array" }],
  ["maxContains", { role: "assertion", isValid: isCount, isModern: true, appliesTo: "array" }],
  ["minItems", { role: "assertion", isValid: isCount, appliesTo: "array" }],
  ["maxItems", { role: "assertion", isValid: isCount, appliesTo: "array" }],
  ["uniqueItems", { role: "assertion", isValid: isBoolean, isCostly: true, appliesTo: "array" }],

  ["minLength", { role: "assertion", isValid: isCount, appliesTo: "string" }],
  ["maxLength", { role: "assertion", isValid: isCount, appliesTo: "string" }],
  ["pattern", { role: "assertion", isValid: isString, isCostly: true, appliesTo: "string" }],
  ["format", { role: "annotation", isValid: isString, isCostly: true }],
  ["contentEncoding", { role: "annotation", isValid: isString, appliesTo: "string" }],
  ["contentMediaType", { role: "annotation", isValid: isString, appliesTo: "string" }],
  ["contentSchema", { role: "annotation", holds: "schema", isModern: true, appliesTo: "string" }],

  ["minimum", { role: "assertion", isValid: Number.isFinite, appliesTo: "number" }],
  ["maximum", { role: "assertion", isValid: Number.isFinite, appliesTo: "number" }],
  ["exclusiveMinimum", { role: "assertion", isValid: Number.isFinite, appliesTo: "number" }],
  ["exclusiveMaximum", { role: "assertion", isValid: Number.isFinite, appliesTo: "number" }],
  ["multipleOf", { role: "assertion", isValid: isFactor, appliesTo: "number" }],

  ["title", { role: "annotation", isValid: isString }],
  ["description", { role: "annotation", isValid: isString }],
  ["default", { role: "annotation", isData: true }],
  ["examples", { role: "annotation", isData: true, isValid: Array.isArray }],
  ["deprecated", { role: "annotation", isValid: isBoolean, isModern: true }],
  ["readOnly", { role: "annotation", isValid: isBoolean }],
  ["writeOnly", { role: "annotation", isValid: isBoolean }],

  ["$ref", { role: "reference" }],
  ["$dynamicRef", { role: "reference", isModern: true }],
  ["$recursiveRef", { role: "reference", isModern: true }],

  ["$defs", { role: "meta", holds: "map", isModern: true }],
  ["definitions", { role: "meta", holds: "map" }],
  ["$schema", { role: "meta" }],
  ["$id", { role: "meta" }],
  ["$anchor", { role: "meta", isModern: true }],
  ["$dynamicAnchor", { role: "meta", isModern: true }],
  ["$recursiveAnchor", { role: "meta", isModern: true }],
  ["$vocabulary", { role: "meta", isModern: true }],
  ["$comment", { role: "meta" }],
]);

/** Keywords that belong together: the others have no effect without the first. */
export const KEYWORD_GROUPS: readonly (readonly [head: string, ...others: string[]])[] = [
  ["if", "then", "else"],
  ["contains", "minContains", "maxContains"],
];

/** The names of the keywords that pass a test. */
export function keywordsWhere(test: (keyword: Keyword) => unknown): ReadonlySet<string> {
  return new Set([...KEYWORDS].filter(([, keyword]) => test(keyword)).map(([name]) => name));
}

/** A separate map: objects of many shapes are slow to read, and every walk looks this up for every member. */
const HOLDS: ReadonlyMap<string, SubschemaForm | undefined> = new Map(
  [...KEYWORDS].map(([name, { holds }]) => [name, holds]),
);

/** A child of a schema, the keyword that holds it, and its name or index if that holds several. */
type ChangeChild = (child: unknown, keyword: string, key?: string | number) => unknown;

/**
 * Applies `change` to each child of a schema once, in order, and returns the schema with the results; the same object if
 * none differs. A child can be any value in place of a schema; a keyword whose value has the wrong form has no children.
 */
export function mapChildSchemas(schema: Members, change: ChangeChild): Members {
  return mapMembers(schema, (value, keyword) => {
    const holds = HOLDS.get(keyword);
    if (holds === undefined) return value;
    if (holds === "map")
      return isRecord(value) ? mapMembers(value, (child, name) => change(child, keyword, name)) : value;
    if (holds !== "schema" && Array.isArray(value))
      return mapElements(value, (child, index) => change(child, keyword, index));
    return holds === "list" ? value : change(value, keyword);
  });
}

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

function isType(value: unknown): boolean {
  if (!Array.isArray(value)) return JSON_TYPES.has(value);
  return (
    value.length > 0 && value.every((type) => JSON_TYPES.has(type)) && new Set(value).size === value.length
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

function isFactor(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) > 0;
}

function isNameMap(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isNameList);
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
