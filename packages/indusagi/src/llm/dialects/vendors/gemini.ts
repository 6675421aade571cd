import type { JsonSchema } from "../../contract/index.ts";
import { foldRoot } from "../walk/fold-root.ts";
import { isRecord, type Members, withMembers, withoutMembers } from "../walk/members.ts";
import { mergeAll } from "../walk/merge-schemas.ts";
import { giveUp, inside, isOverrun, type SchemaWalk } from "../walk/schema-walk.ts";
import { branchesOf, hasUnion } from "./gemini-branches.ts";
import { ofOneType } from "./gemini-one-type.ts";
import { isRegex } from "./regex-grammar.ts";
import { withTakenPatterns } from "./taken-patterns.ts";

/** What the `parameters` of a Gemini function declaration take: a subset of OpenAPI's schema object, one type a node. */
export function projectGemini(root: JsonSchema, walk: SchemaWalk): JsonSchema {
  return project(withTakenPatterns(foldRoot(root, walk), walk, isRegex), walk);
}

function project(schema: unknown, walk: SchemaWalk): Members {
  if (isOverrun(walk)) return {};
  if (isSimple(schema)) return ofOneType(schema, walk, project);
  const whole = withFixedValues(withoutAllOf(isRecord(schema) ? schema : {}, walk));
  const branches = branchesOf(whole, walk);
  const [only] = branches;
  if (only !== undefined && branches.length === 1) {
    // A union of one is its branch, which may be a union again.
    return hasUnion(whole) ? project(only(), walk) : ofOneType(only(), walk, project);
  }
  const projected = inside(walk, "anyOf", () =>
    branches.map((branch, index) =>
      inside(walk, index, () => (isOverrun(walk) ? {} : project(branch(), walk))),
    ),
  );
  return isSameUnion(schema, projected) ? schema : unite(projected);
}

const COMPOUND: readonly string[] = ["allOf", "anyOf", "oneOf", "const"];

/** Whether a schema is of one type and no more than that, as most are. */
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

/** A union of branches. One that came out as null is no branch but a flag on the others. */
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
  if (parts.includes(false)) giveUp(walk, "allOf", "widened");
  const flat = parts.filter(isRecord).map((part) => withoutAllOf(part, walk));
  return mergeAll([withoutMembers(schema, "allOf"), ...flat], (keyword) => giveUp(walk, keyword, "dropped"));
}

/** `const` as a list of one. */
function withFixedValues(schema: Members): Members {
  if (!Object.hasOwn(schema, "const")) return schema;
  return withMembers(withoutMembers(schema, "const"), { enum: [schema["const"]] });
}
