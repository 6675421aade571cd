import {
  LIST_KEYWORDS,
  MAP_KEYWORDS,
  META_KEYWORDS,
  NON_MONOTONIC_KEYWORDS,
  SCHEMA_KEYWORDS,
  VALUE_KEYWORDS,
} from "../walk/keyword-table.ts";
import { isRecord, type Members, mapElements, mapMembers } from "../walk/members.ts";
import { isDeeperThan, SCHEMA_BUDGET } from "../walk/schema-budget.ts";
import { isOverBudget, recordLoss } from "../walk/schema-walk.ts";
import { followRef } from "./follow-ref.ts";
import { asLeaf, type PortableWalk, type SubSchema } from "./portable-walk.ts";
import { relaxDependents } from "./relax-dependents.ts";
import { upgradeDraft } from "./upgrade-draft.ts";

/**
 * Converts one schema at any position to portable form: follows references, rewrites old drafts, drops invalid keyword
 * values. Returns the same object if nothing had to change.
 *
 * The result accepts everything that the given schema accepts. Recursion ends at the depth limit.
 */
export function projectPortable(schema: unknown, walk: PortableWalk): SubSchema {
  if (typeof schema === "boolean") return schema;
  if (!isRecord(schema)) {
    recordLoss(walk, "", "malformed");
    return {};
  }
  if (isOverBudget(walk)) return true;
  if (walk.depth >= CHECK_DEPTH_FROM && isDeeperThan(schema, SCHEMA_BUDGET.depth - walk.depth + 1)) {
    recordLoss(walk, "", "over_budget");
    return asLeaf(schema);
  }
  const before = walk.lossCount;
  walk.ancestors.push(schema);
  const projected =
    typeof schema["$ref"] === "string"
      ? followRef(schema, walk, projectPortable)
      : projectMembers(schema, walk);
  walk.ancestors.pop();
  return walk.lossCount === before ? projected : relaxDependents(projected, walk);
}

/** From this depth on, a subschema may exceed the limit: a schema and its properties are two levels apart. */
const CHECK_DEPTH_FROM = SCHEMA_BUDGET.depth - 1;

/** Converts a keyword's value to portable form. `undefined` removes the keyword. */
type ProjectValue = (value: unknown, keyword: string, walk: PortableWalk) => unknown;

const BY_KEYWORD: ReadonlyMap<string, ProjectValue> = new Map([
  ...[...VALUE_KEYWORDS.keys()].map((keyword) => [keyword, plainValue] as const),
  ...[...SCHEMA_KEYWORDS].map((keyword) => [keyword, oneSchema] as const),
  ...[...LIST_KEYWORDS].map((keyword) => [keyword, listOfSchemas] as const),
  ...[...MAP_KEYWORDS].map((keyword) => [keyword, mapOfSchemas] as const),
  ...[...META_KEYWORDS].map((keyword) => [keyword, () => undefined] as const),
  ["$ref", malformed],
  ["$dynamicRef", unresolved],
  ["$recursiveRef", unresolved],
]);

function projectMembers(schema: Members, walk: PortableWalk): SubSchema {
  walk.nodes++;
  return mapMembers(upgradeDraft(schema), (value, keyword) => {
    const project = BY_KEYWORD.get(keyword) ?? anyValue;
    return project(value, keyword, walk);
  });
}

function plainValue(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (VALUE_KEYWORDS.get(keyword)?.(value)) return anyValue(value, keyword, walk);
  recordLoss(walk, keyword, "malformed");
  if (keyword !== "required" || !Array.isArray(value)) return undefined;
  return [...new Set(value.filter((name) => typeof name === "string"))];
}

function anyValue(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (typeof value !== "object" || !isDeeperThan(value, SCHEMA_BUDGET.depth - walk.depth)) return value;
  recordLoss(walk, keyword, "over_budget");
  return undefined;
}

function oneSchema(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (typeof value !== "boolean" && !isRecord(value)) return malformed(value, keyword, walk);
  const before = walk.lossCount;
  walk.depth += 1;
  const projected = projectAt(keyword, value, walk);
  walk.depth -= 1;
  if (walk.lossCount === before || !NON_MONOTONIC_KEYWORDS.has(keyword)) return projected;
  recordLoss(walk, keyword, "widened");
  return undefined;
}

function listOfSchemas(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (!Array.isArray(value) || value.length === 0) return malformed(value, keyword, walk);
  const before = walk.lossCount;
  walk.depth += 2;
  walk.path.push(keyword);
  const projected = mapElements(value, (schema, index) => projectAt(index, schema, walk));
  walk.path.pop();
  walk.depth -= 2;
  if (keyword === "oneOf" && walk.lossCount > before) walk.loosened.add(projected);
  return projected;
}

function mapOfSchemas(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (!isRecord(value)) return malformed(value, keyword, walk);
  walk.depth += 2;
  walk.path.push(keyword);
  const projected = mapMembers(value, (schema, name) => {
    // `dependencies` of old drafts may hold a list of names instead of a schema.
    return keyword === "dependencies" && Array.isArray(schema) ? schema : projectAt(name, schema, walk);
  });
  walk.path.pop();
  walk.depth -= 2;
  return projected;
}

function projectAt(key: string | number, schema: unknown, walk: PortableWalk): SubSchema {
  walk.path.push(key);
  const projected = projectPortable(schema, walk);
  walk.path.pop();
  return projected;
}

function malformed(_value: unknown, keyword: string, walk: PortableWalk): undefined {
  recordLoss(walk, keyword, "malformed");
}

function unresolved(_value: unknown, keyword: string, walk: PortableWalk): undefined {
  recordLoss(walk, keyword, "unresolved");
}
