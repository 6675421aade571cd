import { settle } from "../portable/settle.ts";
import { FRAGILE_KEYWORDS } from "../walk/keyword-table.ts";
import { mapSubschemas } from "../walk/map-subschemas.ts";
import { isRecord, type Members, mapMembers, withoutMembers } from "../walk/members.ts";
import { moveToDescription } from "../walk/move-to-description.ts";
import { giveUp, inside, type SchemaWalk } from "../walk/schema-walk.ts";

/** Whether a provider takes a regular expression. */
type TakesPattern = (pattern: string) => boolean;

/**
 * A portable schema with only those regular expressions that a provider takes: one it refuses would refuse the whole
 * request. A `pattern` becomes words, a key of `patternProperties` goes; what was accepted is accepted still.
 */
export function withTakenPatterns(schema: Members, walk: SchemaWalk, takes: TakesPattern): Members {
  const known = new Map<string, boolean>();
  // References may have brought one long pattern to a thousand places.
  return mend(schema, walk, (pattern) => {
    const verdict = known.get(pattern) ?? takes(pattern);
    known.set(pattern, verdict);
    return verdict;
  });
}

function mend(schema: Members, walk: SchemaWalk, takes: TakesPattern): Members {
  const { pattern, patternProperties } = schema;
  let mended = isRecord(patternProperties) ? withTakenKeys(schema, patternProperties, walk, takes) : schema;
  mended = mapSubschemas(mended, walk, (inner) => (isRecord(inner) ? mend(inner, walk, takes) : inner));
  if (typeof pattern === "string" && !takes(pattern)) mended = moveToDescription(mended, "pattern", walk);
  return mended === schema ? schema : settleMended(mended, schema, walk);
}

function withTakenKeys(schema: Members, patterns: Members, walk: SchemaWalk, takes: TakesPattern): Members {
  const taken = inside(walk, "patternProperties", () =>
    mapMembers(patterns, (inner, key) => (takes(key) ? inner : giveUp(walk, key, "dropped"))),
  );
  if (taken === patterns) return schema;
  return mapMembers(schema, (value, keyword) => {
    if (keyword === "patternProperties") return Object.keys(taken).length > 0 ? taken : undefined;
    if (keyword !== "additionalProperties" || value === true) return value;
    // What the lost keys let in would now fall under this.
    return giveUp(walk, keyword, "widened");
  });
}

/** Mends what counts on a part that became looser. */
function settleMended(mended: Members, given: Members, walk: SchemaWalk): Members {
  const broken = [...FRAGILE_KEYWORDS].filter((keyword) => mended[keyword] !== given[keyword]);
  for (const keyword of broken) giveUp(walk, keyword, "widened");
  if (mended["oneOf"] !== given["oneOf"]) walk.loosened.add(mended["oneOf"]);
  return settle(withoutMembers(mended, ...broken), walk) as Members;
}
