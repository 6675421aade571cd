import { type Members, setMember } from "../walk/members.ts";

/**
 * The same schema in today's keywords: a list of `items` is `prefixItems`, and `exclusiveMinimum` is a number.
 * Returns the very object when it is modern already.
 */
export function modernForm(schema: Members): Members {
  const hasTuple = Array.isArray(schema["items"]) && schema["prefixItems"] === undefined;
  const hasFlags =
    typeof schema["exclusiveMinimum"] === "boolean" || typeof schema["exclusiveMaximum"] === "boolean";
  if (!hasTuple && !hasFlags) return schema;
  const modern: Members = {};
  for (const keyword of Object.keys(schema)) {
    const name = (hasTuple ? TUPLE_NAMES.get(keyword) : undefined) ?? limitName(keyword, schema);
    if (name !== undefined) setMember(modern, name, schema[keyword]);
  }
  // An empty list promised nothing of any item.
  if (hasTuple && (schema["items"] as readonly unknown[]).length === 0) delete modern["prefixItems"];
  return modern;
}

const TUPLE_NAMES: ReadonlyMap<string, string> = new Map([
  ["items", "prefixItems"],
  ["additionalItems", "items"],
]);

/** Each limit, and the keyword that was once a mere flag beside it. */
const FLAG_OF: ReadonlyMap<string, string> = new Map([
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
]);

/** The name a keyword has today; `undefined` for a flag, which is told by the name of its limit. */
function limitName(keyword: string, schema: Members): string | undefined {
  const flag = FLAG_OF.get(keyword);
  if (flag !== undefined && schema[flag] === true) return flag;
  const isFlag = keyword === "exclusiveMinimum" || keyword === "exclusiveMaximum";
  return isFlag && typeof schema[keyword] === "boolean" ? undefined : keyword;
}
