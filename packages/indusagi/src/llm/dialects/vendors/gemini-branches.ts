import { isRecord, type Members, setMember, withMembers, withoutMembers } from "../walk/members.ts";
import { mergeSchemas } from "../walk/merge-schemas.ts";
import { recordLoss, type SchemaWalk } from "../walk/schema-walk.ts";
import { APPLIES_TO } from "./gemini-keywords.ts";
import { typesOf } from "./gemini-types.ts";

/** Builds a branch when needed: keywords beside a union are copied into each branch, which is wasted work over budget. */
export type Branch = () => Members;

/**
 * Splits a schema into alternatives: one for each branch of its union, or for each of its types.
 *
 * Gemini has one type per schema, the flag `nullable`, and `anyOf` without other keywords. So null becomes the flag,
 * assertions beside a union are copied into every branch, and annotations into the first.
 */
export function branchesOf(schema: Members, walk: SchemaWalk): readonly Branch[] {
  const keyword = UNIONS.find((each) => Array.isArray(schema[each]));
  if (keyword === undefined) return typeBranches(schema, walk);
  const offered = (schema[keyword] as readonly unknown[]).filter((branch) => branch !== false);
  const branches = offered.filter((branch) => !isNull(branch));
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
export function hasUnion(schema: Members): boolean {
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

/** Copies the keywords beside a union into its branches. */
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

function isNull(branch: unknown): boolean {
  return isRecord(branch) && (branch["const"] === null || typesOf(branch).every((type) => type === "null"));
}
