import type { JsonSchema } from "../../contract/index.ts";
import { foldRoot } from "../walk/fold-root.ts";
import { mapSubschemas } from "../walk/map-subschemas.ts";
import { isRecord, type Members, withMembers } from "../walk/members.ts";
import { moveToDescription } from "../walk/move-to-description.ts";
import type { SchemaWalk } from "../walk/schema-walk.ts";
import { isPythonRegex } from "./regex-grammar.ts";
import { withTakenPatterns } from "./taken-patterns.ts";

/** What OpenAI's function parameters (and those shaped after them) take: a plain object at the root, `items` for every array, and Python's regular expressions. */
export function projectOpenai(root: JsonSchema, walk: SchemaWalk): JsonSchema {
  const folded = foldRoot(root, walk);
  const plain = moveToDescription(moveToDescription(folded, "enum", walk), "not", walk);
  return withItems(withTakenPatterns(plain, walk, isPythonRegex), walk);
}

function withItems(schema: Members, walk: SchemaWalk): Members {
  const mapped = mapSubschemas(schema, walk, (inner) => (isRecord(inner) ? withItems(inner, walk) : inner));
  const type = mapped["type"];
  const isArray = type === "array" || (Array.isArray(type) && type.includes("array"));
  // No `items` and empty `items` accept the same; only the second is accepted.
  return isArray && mapped["items"] === undefined ? withMembers(mapped, { items: {} }) : mapped;
}
