import type { JsonSchema } from "../../contract/index.ts";
import { describeMore, remarkOf } from "../walk/describe-more.ts";
import { foldRoot } from "../walk/fold-root.ts";
import { isRecord, type Members, mapMembers, withMembers } from "../walk/members.ts";
import { giveUp, type SchemaWalk } from "../walk/schema-walk.ts";
import { isRegex } from "./regex-grammar.ts";
import { withTakenPatterns } from "./taken-patterns.ts";

/** What the Messages API takes: JSON Schema 2020-12 without a union at the root, and plain property names there. */
export function projectAnthropic(root: JsonSchema, walk: SchemaWalk): JsonSchema {
  const folded = withTakenPatterns(foldRoot(root, walk), walk, isRegex);
  const properties = folded["properties"];
  if (!isRecord(properties)) return folded;
  const accepted = mapMembers(properties, (schema, name) => (PROPERTY_NAME.test(name) ? schema : undefined));
  return accepted === properties ? folded : tellTheOthers(folded, accepted, walk);
}

/** The names accepted for the root's properties; one other name and the whole request is refused. */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Arguments travel as the model writes them, so a property cannot be renamed: it is told in words instead. */
function tellTheOthers(root: Members, accepted: Members, walk: SchemaWalk): Members {
  const properties = root["properties"] as Members;
  let told = withMembers(root, { properties: accepted });
  const required = root["required"];
  if (Array.isArray(required)) {
    told["required"] = required.filter(
      (name) => Object.hasOwn(accepted, name) || !Object.hasOwn(properties, name),
    );
  }
  walk.path.push("properties");
  for (const name of Object.keys(properties)) {
    if (Object.hasOwn(accepted, name)) continue;
    const remark = remarkOf(`also takes ${JSON.stringify(name)}`, properties[name]);
    if (remark !== undefined) told = describeMore(told, remark);
    giveUp(walk, name, remark === undefined ? "dropped" : "moved");
  }
  walk.path.pop();
  return told;
}
