import { isRecord, type Members, setMember, withMembers, withoutMembers } from "../walk/members.ts";
import { mergeSchemas } from "../walk/merge-schemas.ts";
import { giveUp, type SchemaWalk } from "../walk/schema-walk.ts";
import { SPEAKS_OF } from "./gemini-keywords.ts";
import { typesOf } from "./gemini-types.ts";

/** A branch on demand: what stands beside a union is copied into each, and a walk that has run over wants no more copies. */
export type Branch = () => Members;

/**
 * A schema as the alternatives it offers: one for each branch of its union, or for each of its types.
 *
 * Gemini knows one type a schema, the flag `nullable`, and an `anyOf` with nothing beside it. So null becomes the flag,
 * conditions beside a union go into every branch, and words go into the first.
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
  if (keyword === "oneOf" && branches.length > 1) giveUp(walk, "oneOf", "widened");
  return spread(branches.length < offered.length ? { ...beside, nullable: true } : beside, branches, walk);
}

/** Whether a schema offers branches. */
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
  return spread(beside, branches, walk);
}

/** Each branch with what stands beside the union in it. */
function spread(beside: Members, branches: readonly unknown[], walk: SchemaWalk): readonly Branch[] {
  if (Object.keys(beside).length === 0)
    return branches.map((branch) => () => (isRecord(branch) ? branch : {}));
  const conditions: Members = {};
  for (const keyword of Object.keys(beside)) {
    if (CONDITIONS.has(keyword) || SPEAKS_OF.has(keyword)) setMember(conditions, keyword, beside[keyword]);
  }
  return branches.map((branch, index) => () => {
    const own = isRecord(branch) ? branch : {};
    return joined(own, index === 0 ? beside : conditions, walk);
  });
}

const CONDITIONS: ReadonlySet<string> = new Set(["type", "enum", "const", "format"]);

function joined(branch: Members, beside: Members, walk: SchemaWalk): Members {
  const merged = mergeSchemas(branch, beside, (keyword) => giveUp(walk, keyword, "dropped"));
  const words = [beside["description"], branch["description"]].filter((text) => typeof text === "string");
  return words.length > 1 ? withMembers(merged, { description: words.join(" ") }) : merged;
}

function isNull(branch: unknown): boolean {
  return isRecord(branch) && (branch["const"] === null || typesOf(branch).every((type) => type === "null"));
}
