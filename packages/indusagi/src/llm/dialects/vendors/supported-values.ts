import { isRecord } from "../../../core/internal.ts";
import { type Members, mapMembers, withoutMembers } from "../../members.ts";
import { keywordsWhere } from "../../schema-keywords.ts";
import { relaxDependents } from "../portable/portable-walk.ts";
import {
  descend,
  mapSubschemas,
  moveToDescription,
  recordLoss,
  type SchemaWalk,
} from "../walk/schema-walk.ts";

/** Whether a provider accepts a regular expression. */
type IsSupported = (pattern: string) => boolean;

/**
 * Removes from a portable schema the regular expressions that a provider rejects, and every empty `enum`: one would fail
 * the whole request. A `pattern` and an `enum` move to the description, a key of `patternProperties` is dropped. The
 * result accepts everything the schema accepted.
 */
export function withSupportedValues(schema: Members, walk: SchemaWalk, isSupported: IsSupported): Members {
  const known = new Map<string, boolean>();
  // References may have copied one long pattern to a thousand places.
  const isKnownSupported = (pattern: string): boolean => {
    const verdict = known.get(pattern) ?? isSupported(pattern);
    known.set(pattern, verdict);
    return verdict;
  };
  return replaceValues(schema, walk, isKnownSupported);
}

function replaceValues(schema: Members, walk: SchemaWalk, isSupported: IsSupported): Members {
  let result = mapSubschemas(withSupportedKeys(schema, walk, isSupported), walk, (inner) =>
    replaceValues(inner, walk, isSupported),
  );
  const { pattern, enum: values } = schema;
  if (typeof pattern === "string" && !isSupported(pattern)) {
    result = moveToDescription(result, "pattern", walk);
  }
  if (Array.isArray(values) && values.length === 0) result = moveToDescription(result, "enum", walk);
  return result === schema ? schema : relaxChanged(result, schema, walk);
}

function withSupportedKeys(schema: Members, walk: SchemaWalk, isSupported: IsSupported): Members {
  const { patternProperties } = schema;
  if (!isRecord(patternProperties)) return schema;
  const supported = descend(walk, "patternProperties", () =>
    mapMembers(patternProperties, (inner, key) =>
      isSupported(key) ? inner : recordLoss(walk, key, "dropped"),
    ),
  );
  if (supported === patternProperties) return schema;
  return mapMembers(schema, (value, keyword) => {
    if (keyword === "patternProperties") return Object.keys(supported).length > 0 ? supported : undefined;
    if (keyword !== "additionalProperties" || value === true) return value;
    // Members that matched a dropped key would now be checked against this.
    return recordLoss(walk, keyword, "widened");
  });
}

const NON_MONOTONIC: readonly string[] = [...keywordsWhere(({ isNonMonotonic }) => isNonMonotonic)];

/** Relaxes keywords that depend on a subschema that became looser. */
function relaxChanged(result: Members, given: Members, walk: SchemaWalk): Members {
  const broken = NON_MONOTONIC.filter((keyword) => result[keyword] !== given[keyword]);
  for (const keyword of broken) recordLoss(walk, keyword, "widened");
  if (result["oneOf"] !== given["oneOf"]) walk.loosened.add(result["oneOf"]);
  return relaxDependents(withoutMembers(result, ...broken), walk) as Members;
}
