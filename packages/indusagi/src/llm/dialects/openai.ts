import type { JsonSchema } from "../contract/index.ts";
import { foldRoot } from "./fold-root.ts";
import { mapSubschemas } from "./map-subschemas.ts";
import { isRecord, type Members, withMembers } from "./members.ts";
import { moveToDescription } from "./move-to-description.ts";
import type { SchemaWalk } from "./schema-walk.ts";

/** What OpenAI's function parameters (and those shaped after them) take: a plain object at the root, and `items` for every array. */
export function projectOpenai(root: JsonSchema, walk: SchemaWalk): JsonSchema {
  const folded = foldRoot(root, walk);
  return withItems(moveToDescription(moveToDescription(folded, "enum", walk), "not", walk));
}

function withItems(schema: Members): Members {
  const mapped = mapSubschemas(schema, (inner) => (isRecord(inner) ? withItems(inner) : inner));
  const type = mapped["type"];
  const isArray = type === "array" || (Array.isArray(type) && type.includes("array"));
  // No `items` and empty `items` accept the same; only the second is accepted.
  return isArray && mapped["items"] === undefined ? withMembers(mapped, { items: {} }) : mapped;
}
