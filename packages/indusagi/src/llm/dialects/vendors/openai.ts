import type { JsonSchema } from "../../contract/index.ts";
import { type Members, withMembers } from "../../members.ts";
import { foldRoot } from "../walk/fold-root.ts";
import { mapSubschemas, moveToDescription, type SchemaWalk } from "../walk/schema-walk.ts";
import { isPythonRegex } from "./regex-grammar.ts";
import { withSupportedValues } from "./supported-values.ts";

/**
 * The schemas that OpenAI's function parameters, and APIs modelled on them, accept: a plain object at the root, `items`
 * for every array, and Python's regular expressions.
 */
export function projectOpenai(root: JsonSchema, walk: SchemaWalk): JsonSchema {
  const folded = foldRoot(root, walk);
  const plain = moveToDescription(moveToDescription(folded, "enum", walk), "not", walk);
  return withItems(withSupportedValues(plain, walk, isPythonRegex), walk);
}

function withItems(schema: Members, walk: SchemaWalk): Members {
  const mapped = mapSubschemas(schema, walk, (inner) => withItems(inner, walk));
  const type = mapped["type"];
  const isArray = type === "array" || (Array.isArray(type) && type.includes("array"));
  // A missing `items` means the same as an empty one, but OpenAI rejects it.
  return isArray && mapped["items"] === undefined ? withMembers(mapped, { items: {} }) : mapped;
}
