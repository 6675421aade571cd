import { isRecord } from "../../../core/internal.ts";
import type { JsonSchema } from "../../../llm/index.ts";

/**
 * Keywords with a cost that the schema or the arguments control: expressions that backtrack without end (`format` is
 * checked with such expressions too), and a comparison of all pairs of items.
 */
const COSTLY: ReadonlySet<string> = new Set(["pattern", "patternProperties", "format", "uniqueItems"]);

const SCHEMAS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
]);
const LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const MAPS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "properties",
]);

/** What has to go when the schema of a keyword becomes looser: `not: {}` would accept nothing. */
const DEPENDENT: { readonly [keyword: string]: readonly string[] } = {
  not: ["not"],
  if: ["if", "then", "else"],
  contains: ["contains", "minContains", "maxContains"],
  patternProperties: ["additionalProperties"],
};

/**
 * A schema without costly keywords, for a validator. It accepts everything that the given schema accepts; what was
 * removed is checked elsewhere or not at all. A schema that has none of them is returned as it is.
 */
export function checkableSchema(schema: JsonSchema): JsonSchema {
  return hasMember(schema, COSTLY) ? (loosen(schema).schema as JsonSchema) : schema;
}

const PATTERNS: ReadonlySet<string> = new Set(["pattern", "patternProperties"]);

/** True also if only a property has such a name. */
export function hasPatterns(schema: JsonSchema): boolean {
  return hasMember(schema, PATTERNS);
}

function hasMember(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, inner]) => (!Array.isArray(value) && names.has(name)) || hasMember(inner, names),
  );
}

interface Loosened {
  readonly schema: unknown;
  /** It may accept more than before. */
  readonly isLooser: boolean;
}

function loosen(schema: unknown): Loosened {
  if (!isRecord(schema)) return { schema, isLooser: false };
  const kept = new Map<string, unknown>();
  const looser = new Set<string>();
  for (const [keyword, value] of Object.entries(schema)) {
    const { schema: inner, isLooser } = loosenKeyword(keyword, value);
    if (inner !== undefined) kept.set(keyword, inner);
    if (isLooser) looser.add(keyword);
  }
  for (const [keyword, names] of Object.entries(DEPENDENT))
    if (looser.has(keyword)) for (const name of names) kept.delete(name);
  // More branches may now match than the one.
  if (looser.has("oneOf")) {
    const allOf = kept.get("allOf");
    kept.set("allOf", [...(Array.isArray(allOf) ? allOf : []), { anyOf: kept.get("oneOf") }]);
    kept.delete("oneOf");
  }
  for (const keyword of UNUSED_WHEN_LOOSER) looser.delete(keyword);
  return { schema: Object.fromEntries(kept), isLooser: looser.size > 0 };
}

/** Definitions are applied only where a reference names them, and a reference counts as looser itself. */
const UNUSED_WHEN_LOOSER = ["$defs", "definitions"];

function loosenKeyword(keyword: string, value: unknown): Loosened {
  // What counts as evaluated depends on every keyword that may have been removed.
  if (COSTLY.has(keyword) || keyword.startsWith("unevaluated")) return { schema: undefined, isLooser: true };
  if (LISTS.has(keyword) && Array.isArray(value)) return joined(value.map(loosen), (list) => list);
  if (MAPS.has(keyword) && isRecord(value)) {
    const names = Object.keys(value);
    return joined(Object.values(value).map(loosen), (list) =>
      Object.fromEntries(names.map((name, at) => [name, list[at]])),
    );
  }
  if (SCHEMAS.has(keyword)) return loosen(value);
  return { schema: value, isLooser: /^\$(?:dynamicR|recursiveR|r)ef$/.test(keyword) };
}

function joined(parts: readonly Loosened[], build: (schemas: readonly unknown[]) => unknown): Loosened {
  return {
    schema: build(parts.map(({ schema }) => schema)),
    isLooser: parts.some(({ isLooser }) => isLooser),
  };
}
