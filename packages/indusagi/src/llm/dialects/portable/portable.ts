import {
  FRAGILE_KEYWORDS,
  LIST_KEYWORDS,
  MAP_KEYWORDS,
  PLUMBING_KEYWORDS,
  SCHEMA_KEYWORDS,
  VALUE_KEYWORDS,
} from "../walk/keyword-table.ts";
import { isRecord, type Members, mapElements, mapMembers } from "../walk/members.ts";
import { isTaller, SCHEMA_BUDGET } from "../walk/schema-budget.ts";
import { giveUp, isOverrun } from "../walk/schema-walk.ts";
import { followRef } from "./follow-ref.ts";
import { modernForm } from "./modern-form.ts";
import { leafOf, type PortableWalk, type SubSchema } from "./portable-walk.ts";
import { settle } from "./settle.ts";

/**
 * Puts one schema, wherever it stands, into portable form: references followed, old drafts modernised, values that
 * their keywords may not hold left out. Returns the very object when nothing had to change.
 *
 * What the given schema accepts is accepted by the result. Recursion ends at the depth budget.
 */
export function projectPortable(schema: unknown, walk: PortableWalk): SubSchema {
  if (typeof schema === "boolean") return schema;
  if (!isRecord(schema)) {
    giveUp(walk, "", "malformed");
    return {};
  }
  if (isOverrun(walk)) return true;
  if (walk.depth >= NEAR_THE_END && isTaller(schema, SCHEMA_BUDGET.depth - walk.depth + 1)) {
    giveUp(walk, "", "over_budget");
    return leafOf(schema);
  }
  const before = walk.given;
  walk.ancestors.push(schema);
  const projected =
    typeof schema["$ref"] === "string"
      ? followRef(schema, walk, projectPortable)
      : projectMembers(schema, walk);
  walk.ancestors.pop();
  return walk.given === before ? projected : settle(projected, walk);
}

/** From here on a schema inside a schema may be one level too deep: two levels lie between a schema and its properties. */
const NEAR_THE_END = SCHEMA_BUDGET.depth - 1;

/** What a keyword may hold, made portable. `undefined` leaves the keyword out. */
type ProjectValue = (value: unknown, keyword: string, walk: PortableWalk) => unknown;

const BY_KEYWORD: ReadonlyMap<string, ProjectValue> = new Map([
  ...[...VALUE_KEYWORDS.keys()].map((keyword) => [keyword, plainValue] as const),
  ...[...SCHEMA_KEYWORDS].map((keyword) => [keyword, oneSchema] as const),
  ...[...LIST_KEYWORDS].map((keyword) => [keyword, listOfSchemas] as const),
  ...[...MAP_KEYWORDS].map((keyword) => [keyword, mapOfSchemas] as const),
  ...[...PLUMBING_KEYWORDS].map((keyword) => [keyword, () => undefined] as const),
  ["$ref", malformed],
  ["$dynamicRef", unresolved],
  ["$recursiveRef", unresolved],
]);

function projectMembers(schema: Members, walk: PortableWalk): SubSchema {
  walk.nodes++;
  return mapMembers(modernForm(schema), (value, keyword) => {
    const project = BY_KEYWORD.get(keyword) ?? anyValue;
    return project(value, keyword, walk);
  });
}

function plainValue(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (VALUE_KEYWORDS.get(keyword)?.(value)) return anyValue(value, keyword, walk);
  giveUp(walk, keyword, "malformed");
  if (keyword !== "required" || !Array.isArray(value)) return undefined;
  return [...new Set(value.filter((name) => typeof name === "string"))];
}

function anyValue(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (typeof value !== "object" || !isTaller(value, SCHEMA_BUDGET.depth - walk.depth)) return value;
  giveUp(walk, keyword, "over_budget");
  return undefined;
}

function oneSchema(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (typeof value !== "boolean" && !isRecord(value)) return malformed(value, keyword, walk);
  const before = walk.given;
  walk.depth += 1;
  const projected = projectAt(keyword, value, walk);
  walk.depth -= 1;
  if (walk.given === before || !FRAGILE_KEYWORDS.has(keyword)) return projected;
  giveUp(walk, keyword, "widened");
  return undefined;
}

function listOfSchemas(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (!Array.isArray(value) || value.length === 0) return malformed(value, keyword, walk);
  const before = walk.given;
  walk.depth += 2;
  walk.path.push(keyword);
  const projected = mapElements(value, (schema, index) => projectAt(index, schema, walk));
  walk.path.pop();
  walk.depth -= 2;
  if (keyword === "oneOf" && walk.given > before) walk.loosened.add(projected);
  return projected;
}

function mapOfSchemas(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (!isRecord(value)) return malformed(value, keyword, walk);
  walk.depth += 2;
  walk.path.push(keyword);
  const projected = mapMembers(value, (schema, name) => {
    // An old `dependencies` may hold names instead of a schema.
    return keyword === "dependencies" && Array.isArray(schema) ? schema : projectAt(name, schema, walk);
  });
  walk.path.pop();
  walk.depth -= 2;
  return projected;
}

function projectAt(step: string | number, schema: unknown, walk: PortableWalk): SubSchema {
  walk.path.push(step);
  const projected = projectPortable(schema, walk);
  walk.path.pop();
  return projected;
}

function malformed(_value: unknown, keyword: string, walk: PortableWalk): undefined {
  giveUp(walk, keyword, "malformed");
}

function unresolved(_value: unknown, keyword: string, walk: PortableWalk): undefined {
  giveUp(walk, keyword, "unresolved");
}
