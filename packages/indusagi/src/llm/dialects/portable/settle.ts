import { isRecord, type Members, setMember, withoutMembers } from "../walk/members.ts";
import { giveUp, type SchemaWalk } from "../walk/schema-walk.ts";
import type { SubSchema } from "./portable-walk.ts";

/**
 * Mends a schema inside which something was given up. Some keywords count on their neighbours: "exactly one" of
 * loosened branches, or "nothing that no neighbour describes", would now refuse what the given schema accepts.
 */
export function settle(schema: SubSchema, walk: SchemaWalk): SubSchema {
  if (!isRecord(schema)) return schema;
  const settled = walk.loosened.delete(schema["oneOf"]) ? oneOfAsAnyOf(schema, walk) : schema;
  const counting = ["unevaluatedProperties", "unevaluatedItems"].filter((keyword) =>
    Object.hasOwn(settled, keyword),
  );
  for (const keyword of counting) giveUp(walk, keyword, "widened");
  const orphans = ORPHANS.filter(
    ([keyword, parent]) => Object.hasOwn(settled, keyword) && !Object.hasOwn(settled, parent),
  );
  const leaving = [...counting, ...orphans.map(([keyword]) => keyword)];
  return leaving.length > 0 ? withoutMembers(settled, ...leaving) : settled;
}

/** Keywords that mean nothing without another. */
const ORPHANS: readonly (readonly [keyword: string, parent: string])[] = [
  ["then", "if"],
  ["else", "if"],
  ["minContains", "contains"],
  ["maxContains", "contains"],
];

function oneOfAsAnyOf(schema: Members, walk: SchemaWalk): Members {
  giveUp(walk, "oneOf", "widened");
  const isFree = !Object.hasOwn(schema, "anyOf");
  const settled: Members = {};
  for (const keyword of Object.keys(schema)) {
    if (keyword !== "oneOf") setMember(settled, keyword, schema[keyword]);
    else if (isFree) settled["anyOf"] = schema[keyword];
  }
  if (isFree) return settled;
  const others = Array.isArray(schema["allOf"]) ? schema["allOf"] : [];
  settled["allOf"] = [...others, { anyOf: schema["oneOf"] }];
  return settled;
}
