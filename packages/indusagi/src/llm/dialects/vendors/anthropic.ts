import { isRecord } from "../../../core/internal.ts";
import type { JsonSchema } from "../../contract/index.ts";
import { type Members, mapMembers, withMembers } from "../../members.ts";
import { foldRoot } from "../walk/fold-root.ts";
import { appendNote, keywordNote, recordLoss, type SchemaWalk } from "../walk/schema-walk.ts";
import { isRegex } from "./regex-grammar.ts";
import { withSupportedValues } from "./supported-values.ts";

/** The schemas that the Messages API accepts: JSON Schema 2020-12 without a union at the root, and with plain property names there. */
export function projectAnthropic(root: JsonSchema, walk: SchemaWalk): JsonSchema {
  const folded = withSupportedValues(foldRoot(root, walk), walk, isRegex);
  const properties = folded["properties"];
  if (!isRecord(properties)) return folded;
  const accepted = mapMembers(properties, (schema, name) => (PROPERTY_NAME.test(name) ? schema : undefined));
  return accepted === properties ? folded : describeRejected(folded, accepted, walk);
}

/** Names allowed for the root's properties. The API rejects the whole request for any other name. */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Describes rejected properties in text. They cannot be renamed: arguments reach the tool as the model wrote them. */
function describeRejected(root: Members, accepted: Members, walk: SchemaWalk): Members {
  const properties = root["properties"] as Members;
  let described = withMembers(root, { properties: accepted });
  const required = root["required"];
  if (Array.isArray(required)) {
    described["required"] = required.filter(
      (name) => Object.hasOwn(accepted, name) || !Object.hasOwn(properties, name),
    );
  }
  walk.path.push("properties");
  for (const name of Object.keys(properties)) {
    if (Object.hasOwn(accepted, name)) continue;
    const note = keywordNote(`also accepts ${JSON.stringify(name)}`, properties[name]);
    if (note !== undefined) described = appendNote(described, note);
    recordLoss(walk, name, note === undefined ? "dropped" : "moved");
  }
  walk.path.pop();
  return described;
}
