import { type Members, setMember } from "../walk/members.ts";

/**
 * Rewrites keywords of old drafts as JSON Schema 2020-12: a list of `items` becomes `prefixItems`, and a boolean
 * `exclusiveMinimum` becomes a number. Returns the same object if nothing is outdated.
 */
export function upgradeDraft(schema: Members): Members {
  const hasTuple = Array.isArray(schema["items"]) && schema["prefixItems"] === undefined;
  const hasFlags =
    typeof schema["exclusiveMinimum"] === "boolean" || typeof schema["exclusiveMaximum"] === "boolean";
  if (!hasTuple && !hasFlags) return schema;
  const modern: Members = {};
  for (const keyword of Object.keys(schema)) {
    const name = (hasTuple ? MODERN_TUPLE_NAMES.get(keyword) : undefined) ?? modernLimitName(keyword, schema);
    if (name !== undefined) setMember(modern, name, schema[keyword]);
  }
  // An empty list restricts no item, and an empty `prefixItems` is invalid.
  if (hasTuple && (schema["items"] as readonly unknown[]).length === 0) delete modern["prefixItems"];
  return modern;
}

const MODERN_TUPLE_NAMES: ReadonlyMap<string, string> = new Map([
  ["items", "prefixItems"],
  ["additionalItems", "items"],
]);

/** Each limit, and the keyword that was a boolean flag for it in draft 4. */
const EXCLUSIVE_FLAG: ReadonlyMap<string, string> = new Map([
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
]);

/** The current name of a keyword. `undefined` for a boolean flag, which the renamed limit replaces. */
function modernLimitName(keyword: string, schema: Members): string | undefined {
  const flag = EXCLUSIVE_FLAG.get(keyword);
  if (flag !== undefined && schema[flag] === true) return flag;
  const isFlag = keyword === "exclusiveMinimum" || keyword === "exclusiveMaximum";
  return isFlag && typeof schema[keyword] === "boolean" ? undefined : keyword;
}
