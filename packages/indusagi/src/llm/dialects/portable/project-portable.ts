import { isRecord } from "../../../core/internal.ts";
import { refName, resolvePointer } from "../../arguments/schema-parts.ts";
import {
  type Members,
  mapElements,
  mapMembers,
  setMember,
  withMembers,
  withoutMembers,
} from "../../members.ts";
import { KEYWORDS, type Keyword } from "../../schema-keywords.ts";
import type { LossReason } from "../dialect.ts";
import { isDeeperThan, SCHEMA_BUDGET } from "../walk/schema-budget.ts";
import { appendNote, isOverBudget, recordLoss } from "../walk/schema-walk.ts";
import { asLeaf, type PortableWalk, relaxDependents, type SubSchema } from "./portable-walk.ts";

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
    typeof schema["$ref"] === "string" ? followRef(schema, walk) : projectMembers(schema, walk);
  walk.ancestors.pop();
  return walk.lossCount === before ? projected : relaxDependents(projected, walk);
}

/** From this depth on, a subschema may exceed the limit: a schema and its properties are two levels apart. */
const CHECK_DEPTH_FROM = SCHEMA_BUDGET.depth - 1;

/** Replaces a `$ref` with its target, combined with the keywords next to it. */
function followRef(schema: Members, walk: PortableWalk): SubSchema {
  const ref = String(schema["$ref"]);
  const beside = withoutMembers(schema, "$ref");
  walk.refsSeen++;
  const target = projectTarget(ref, walk);
  if (Object.keys(beside).length === 0) return target;
  const combined = combine(target, projectPortable(beside, walk));
  // Two schemas were counted; combining them may have left one.
  walk.nodes--;
  return combined;
}

function projectTarget(ref: string, walk: PortableWalk): SubSchema {
  const target = walk.targets.get(ref) ?? resolvePointer(walk.root, ref);
  walk.targets.set(ref, target);
  if (typeof target === "string") return withLoss({}, target, walk);
  const { value } = target;
  if (walk.ancestors.includes(value)) return withLoss(endOfRecursion(value, ref), "recursive", walk);
  if (walk.refDepth >= walk.maxRefDepth) return withLoss(asLeaf(value), "over_budget", walk);
  walk.refDepth++;
  const projected = projectPortable(value, walk);
  walk.refDepth--;
  return projected;
}

/** Records that a reference was not followed, and returns its replacement. */
function withLoss(replacement: SubSchema, why: LossReason, walk: PortableWalk): SubSchema {
  walk.nodes++;
  recordLoss(walk, "$ref", why);
  return replacement;
}

/** Replaces a recursive reference: type and text of the target, with a note that names it. */
function endOfRecursion(target: unknown, ref: string): SubSchema {
  const leaf = asLeaf(target);
  return isRecord(leaf) ? appendNote(leaf, `recursive: same as ${refName(ref)}`) : leaf;
}

/** Combines both schemas. Annotations next to a reference win over the target's; assertions of both sides apply. */
function combine(target: SubSchema, beside: SubSchema): SubSchema {
  if (!isRecord(target)) return target ? beside : target;
  if (!isRecord(beside)) return beside ? target : beside;
  const assertions = Object.keys(beside).filter((key) => isAssertion(key) && beside[key] !== target[key]);
  if (assertions.length === 0) return withMembers(target, beside);
  if (Object.keys(target).length === 0) return beside;
  const others = Array.isArray(beside["allOf"]) ? beside["allOf"] : [];
  return withMembers(beside, { allOf: [...others, target] });
}

function isAssertion(keyword: string): boolean {
  return KEYWORDS.get(keyword)?.role === "assertion";
}

/** Converts a keyword's value to portable form. `undefined` removes the keyword. */
type ProjectValue = (value: unknown, keyword: string, walk: PortableWalk) => unknown;

const BY_KEYWORD: ReadonlyMap<string, ProjectValue> = new Map(
  [...KEYWORDS].map(([name, keyword]) => [name, projectionOf(name, keyword)]),
);

function projectionOf(name: string, { role, holds, isValid, isNonMonotonic }: Keyword): ProjectValue {
  if (role === "meta") return () => undefined;
  // A `$ref` that is text has been followed.
  if (role === "reference") return name === "$ref" ? malformed : unresolved;
  if (holds === "map") return mapOfSchemas;
  if (holds === "list") return listOfSchemas;
  // A list of `items` has become `prefixItems`.
  if (holds !== undefined) return isNonMonotonic ? unchangedSchema : oneSchema;
  return isValid ? plainValue(isValid) : anyValue;
}

function projectMembers(schema: Members, walk: PortableWalk): SubSchema {
  walk.nodes++;
  return mapMembers(upgradeDraft(schema), (value, keyword) => {
    const project = BY_KEYWORD.get(keyword) ?? anyValue;
    return project(value, keyword, walk);
  });
}

function plainValue(isValid: (value: unknown) => boolean): ProjectValue {
  return (value, keyword, walk) => {
    if (isValid(value)) return anyValue(value, keyword, walk);
    recordLoss(walk, keyword, "malformed");
    if (keyword !== "required" || !Array.isArray(value)) return undefined;
    return [...new Set(value.filter((name) => typeof name === "string"))];
  };
}

function anyValue(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (typeof value !== "object" || !isDeeperThan(value, SCHEMA_BUDGET.depth - walk.depth)) return value;
  recordLoss(walk, keyword, "over_budget");
  return undefined;
}

function oneSchema(value: unknown, keyword: string, walk: PortableWalk): unknown {
  if (typeof value !== "boolean" && !isRecord(value)) return malformed(value, keyword, walk);
  walk.depth += 1;
  const projected = projectAt(keyword, value, walk);
  walk.depth -= 1;
  return projected;
}

/** One schema that must not become looser. */
function unchangedSchema(value: unknown, keyword: string, walk: PortableWalk): unknown {
  const before = walk.lossCount;
  const projected = oneSchema(value, keyword, walk);
  if (walk.lossCount === before || projected === undefined) return projected;
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

/**
 * Rewrites keywords of old drafts as JSON Schema 2020-12: a list of `items` becomes `prefixItems`, and a boolean
 * `exclusiveMinimum` becomes a number. Returns the same object if nothing is outdated.
 */
function upgradeDraft(schema: Members): Members {
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

/** The modern name of a keyword. `undefined` for a boolean flag, which the renamed limit replaces. */
function modernLimitName(keyword: string, schema: Members): string | undefined {
  const flag = EXCLUSIVE_FLAG.get(keyword);
  if (flag !== undefined && schema[flag] === true) return flag;
  const isFlag = keyword === "exclusiveMinimum" || keyword === "exclusiveMaximum";
  return isFlag && typeof schema[keyword] === "boolean" ? undefined : keyword;
}
