import { isRecord } from "../../../core/internal.ts";
import type { JsonSchema } from "../../contract/index.ts";
import { type Members, setMember, withMembers, withoutMembers } from "../../members.ts";
import { foldRoot } from "../walk/fold-root.ts";
import { mergeAll, mergeSchemas } from "../walk/merge-schemas.ts";
import { descend, isOverBudget, recordLoss, type SchemaWalk } from "../walk/schema-walk.ts";
import { APPLIES_TO, typesOf } from "./gemini-keywords.ts";
import { projectSingleType } from "./gemini-single-type.ts";
import { isRegex } from "./regex-grammar.ts";
import { withSupportedValues } from "./supported-values.ts";

/** The schemas that a Gemini function's `parameters` accept: a subset of OpenAPI's schema object with one type per schema. */
export function projectGemini(root: JsonSchema, walk: SchemaWalk): JsonSchema {
  return project(withSupportedValues(foldRoot(root, walk), walk, isRegex), walk);
}

function project(schema: unknown, walk: SchemaWalk): Members {
  if (isOverBudget(walk)) return {};
  if (isSimple(schema)) return projectSingleType(schema, walk, project);
  const whole = constAsEnum(withoutAllOf(isRecord(schema) ? schema : {}, walk));
  const branches = branchesOf(whole, walk);
  const [only] = branches;
  if (only !== undefined && branches.length === 1) {
    // A union with one branch equals that branch, which may itself be a union.
    return hasUnion(whole) ? project(only(), walk) : projectSingleType(only(), walk, project);
  }
  const projected = descend(walk, "anyOf", () =>
    branches.map((branch, index) =>
      descend(walk, index, () => (isOverBudget(walk) ? {} : project(branch(), walk))),
    ),
  );
  return isSameUnion(schema, projected) ? schema : unite(projected);
}

const COMPOUND: readonly string[] = ["allOf", "anyOf", "oneOf", "const"];

/** Whether a schema has one type and no combinators. Most schemas do. */
function isSimple(schema: unknown): schema is Members {
  if (!isRecord(schema) || typeof schema["type"] !== "string") return false;
  return !COMPOUND.some((keyword) => schema[keyword] !== undefined);
}

/** Builds a branch when needed: keywords next to a union are copied into each branch, which is wasted work over budget. */
type Branch = () => Members;

/**
 * Splits a schema into alternatives: one for each branch of its union, or for each of its types.
 *
 * Gemini has one type per schema, the flag `nullable`, and `anyOf` without other keywords. So null becomes the flag,
 * assertions next to a union are copied into every branch, and annotations into the first.
 */
function branchesOf(schema: Members, walk: SchemaWalk): readonly Branch[] {
  const keyword = UNIONS.find((each) => Array.isArray(schema[each]));
  if (keyword === undefined) return typeBranches(schema, walk);
  const offered = (schema[keyword] as readonly unknown[]).filter((branch) => branch !== false);
  const branches = offered.filter((branch) => !acceptsOnlyNull(branch));
  const beside = withoutMembers(schema, keyword);
  if (branches.length === 0) {
    return [() => (offered.length > 0 ? withMembers(beside, { type: "null" }) : beside)];
  }
  if (keyword === "oneOf" && branches.length > 1) recordLoss(walk, "oneOf", "widened");
  return distribute(
    branches.length < offered.length ? { ...beside, nullable: true } : beside,
    branches,
    walk,
  );
}

/** Whether a schema has `anyOf` or `oneOf`. */
function hasUnion(schema: Members): boolean {
  return UNIONS.some((keyword) => Array.isArray(schema[keyword]));
}

const UNIONS: readonly string[] = ["anyOf", "oneOf"];

function typeBranches(schema: Members, walk: SchemaWalk): readonly Branch[] {
  const types = typesOf(schema);
  const [type, ...others] = types.filter((each) => each !== "null");
  if (type === undefined) return [() => withMembers(schema, { type: "null" })];
  const flag = others.length + 1 < types.length ? { nullable: true } : {};
  if (others.length === 0) return [() => withMembers(schema, { type, ...flag })];
  const beside = withMembers(withoutMembers(schema, "type"), flag);
  const branches = [type, ...others].map((each) => ({ type: each }));
  return distribute(beside, branches, walk);
}

/** Copies the keywords next to a union into its branches. */
function distribute(beside: Members, branches: readonly unknown[], walk: SchemaWalk): readonly Branch[] {
  if (Object.keys(beside).length === 0)
    return branches.map((branch) => () => (isRecord(branch) ? branch : {}));
  const assertions: Members = {};
  for (const keyword of Object.keys(beside)) {
    if (ASSERTIONS.has(keyword) || APPLIES_TO.has(keyword)) setMember(assertions, keyword, beside[keyword]);
  }
  return branches.map((branch, index) => () => {
    const own = isRecord(branch) ? branch : {};
    return mergeBranch(own, index === 0 ? beside : assertions, walk);
  });
}

const ASSERTIONS: ReadonlySet<string> = new Set(["type", "enum", "const", "format"]);

function mergeBranch(branch: Members, beside: Members, walk: SchemaWalk): Members {
  const merged = mergeSchemas(branch, beside, (keyword) => recordLoss(walk, keyword, "dropped"));
  const texts = [beside["description"], branch["description"]].filter((text) => typeof text === "string");
  return texts.length > 1 ? withMembers(merged, { description: texts.join(" ") }) : merged;
}

function acceptsOnlyNull(branch: unknown): boolean {
  return isRecord(branch) && (branch["const"] === null || typesOf(branch).every((type) => type === "null"));
}

function isSameUnion(schema: unknown, branches: readonly Members[]): schema is Members {
  if (!isRecord(schema) || Object.keys(schema).length !== 1) return false;
  const before = schema["anyOf"];
  if (!Array.isArray(before) || before.length !== branches.length) return false;
  return before.every((branch, i) => branch === branches[i] && !isNull(branch));
}

/** Joins branches into one schema. Branches that became null turn into the flag `nullable` on the first. */
function unite(branches: readonly Members[]): Members {
  const [first, ...others] = branches.filter((branch) => !isNull(branch));
  if (first === undefined) return { type: "null" };
  const start = others.length + 1 < branches.length ? nullable(first) : first;
  return others.length > 0 ? { anyOf: [start, ...others] } : start;
}

function nullable(schema: Members): Members {
  const branches = schema["anyOf"];
  if (!Array.isArray(branches)) return withMembers(schema, { nullable: true });
  const [first, ...others] = branches as Members[];
  return { anyOf: [nullable(first ?? {}), ...others] };
}

/** For a projected schema, which has one type. */
function isNull(schema: unknown): boolean {
  return isRecord(schema) && schema["type"] === "null";
}

function withoutAllOf(schema: Members, walk: SchemaWalk): Members {
  const parts = schema["allOf"];
  if (!Array.isArray(parts)) return schema;
  if (parts.includes(false)) recordLoss(walk, "allOf", "widened");
  const flat = parts.filter(isRecord).map((part) => withoutAllOf(part, walk));
  return mergeAll([withoutMembers(schema, "allOf"), ...flat], (keyword) =>
    recordLoss(walk, keyword, "dropped"),
  );
}

/** Rewrites `const` as an `enum` with one value. */
function constAsEnum(schema: Members): Members {
  if (!Object.hasOwn(schema, "const")) return schema;
  return withMembers(withoutMembers(schema, "const"), { enum: [schema["const"]] });
}
