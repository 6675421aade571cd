import { isRecord } from "../../../core/internal.ts";
import { type Members, setMember, withoutMembers } from "../../members.ts";
import { KEYWORD_GROUPS } from "../../schema-keywords.ts";
import { recordLoss, type SchemaWalk } from "../walk/schema-walk.ts";
import type { SubSchema } from "./portable-walk.ts";

/**
 * Relaxes keywords that depend on a part of the schema that became looser. Left as they are, `oneOf` with looser branches
 * and `unevaluated…` with fewer neighbours could reject what the given schema accepts.
 */
export function relaxDependents(schema: SubSchema, walk: SchemaWalk): SubSchema {
  if (!isRecord(schema)) return schema;
  const relaxed = walk.loosened.delete(schema["oneOf"]) ? oneOfAsAnyOf(schema, walk) : schema;
  const unevaluated = ["unevaluatedProperties", "unevaluatedItems"].filter((keyword) =>
    Object.hasOwn(relaxed, keyword),
  );
  for (const keyword of unevaluated) recordLoss(walk, keyword, "widened");
  const orphans = KEYWORD_GROUPS.flatMap(([head, ...others]) =>
    Object.hasOwn(relaxed, head) ? [] : others.filter((keyword) => Object.hasOwn(relaxed, keyword)),
  );
  const removed = [...unevaluated, ...orphans];
  return removed.length > 0 ? withoutMembers(relaxed, ...removed) : relaxed;
}

function oneOfAsAnyOf(schema: Members, walk: SchemaWalk): Members {
  recordLoss(walk, "oneOf", "widened");
  const canBecomeAnyOf = !Object.hasOwn(schema, "anyOf");
  const relaxed: Members = {};
  for (const keyword of Object.keys(schema)) {
    if (keyword !== "oneOf") setMember(relaxed, keyword, schema[keyword]);
    else if (canBecomeAnyOf) relaxed["anyOf"] = schema[keyword];
  }
  if (canBecomeAnyOf) return relaxed;
  const others = Array.isArray(schema["allOf"]) ? schema["allOf"] : [];
  relaxed["allOf"] = [...others, { anyOf: schema["oneOf"] }];
  return relaxed;
}
