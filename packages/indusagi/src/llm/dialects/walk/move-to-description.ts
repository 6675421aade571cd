import { describeMore, remarkOf } from "./describe-more.ts";
import { type Members, withoutMembers } from "./members.ts";
import { giveUp, type SchemaWalk } from "./schema-walk.ts";

/** Takes a keyword that a provider rejects out of a schema and says it in the description, if a few words can say it. */
export function moveToDescription(schema: Members, keyword: string, walk: SchemaWalk): Members {
  if (!Object.hasOwn(schema, keyword)) return schema;
  const remark = remarkOf(keyword, schema[keyword]);
  giveUp(walk, keyword, remark === undefined ? "dropped" : "moved");
  const rest = withoutMembers(schema, keyword);
  return remark === undefined ? rest : describeMore(rest, remark);
}
