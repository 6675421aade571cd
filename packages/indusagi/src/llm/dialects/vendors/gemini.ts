import type { JsonSchema } from "../../contract/index.ts";
import { foldRoot } from "../walk/fold-root.ts";
import { isRecord, type Members, withMembers, withoutMembers } from "../walk/members.ts";
import { mergeAll } from "../walk/merge-schemas.ts";
import { descend, isOverBudget, recordLoss, type SchemaWalk } from "../walk/schema-walk.ts";
import { branchesOf, hasUnion } from "./gemini-branches.ts";
import { projectSingleType } from "./gemini-single-type.ts";
import { isRegex } from "./regex-grammar.ts";
import { withSupportedValues } from "./supported-values.ts";

/** The schemas that `parameters` of a Gemini function accept: a subset of OpenAPI's schema object with one type per schema. */
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
