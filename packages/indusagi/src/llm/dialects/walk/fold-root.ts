import type { JsonSchema } from "../../contract/index.ts";
import { describeMore } from "./describe-more.ts";
import { isRecord, type Members, ownMember, setMember, withoutMembers } from "./members.ts";
import { mergeAll } from "./merge-schemas.ts";
import { giveUp, type SchemaWalk } from "./schema-walk.ts";
import { unionOf } from "./union-of.ts";

/**
 * The root without `allOf`, `anyOf` and `oneOf`, which providers refuse there: the properties of all branches side by
 * side, required what every branch requires, and the choice itself in words.
 */
export function foldRoot(root: JsonSchema, walk: SchemaWalk): JsonSchema {
  const choices: string[] = [];
  let folded = foldObject(root, { walk, choices });
  for (const choice of choices) folded = describeMore(folded, choice);
  return folded;
}

interface Fold {
  readonly walk: SchemaWalk;
  /** The choices between branches, in words. */
  readonly choices: string[];
}

const UNIONS: { readonly [keyword: string]: string } = { anyOf: "at least one of", oneOf: "exactly one of" };
const COMBINING: readonly string[] = ["allOf", ...Object.keys(UNIONS)];

function foldObject(schema: Members, fold: Fold): Members {
  const combined = COMBINING.filter((keyword) => Array.isArray(schema[keyword]));
  if (combined.length === 0) return schema;
  let folded = withoutMembers(schema, ...combined);
  for (const keyword of combined) {
    const parts = schema[keyword] as readonly unknown[];
    folded =
      keyword === "allOf" ? foldParts(folded, parts, fold) : foldUnion(folded, { keyword, parts }, fold);
  }
  return folded;
}

function foldParts(base: Members, parts: readonly unknown[], fold: Fold): Members {
  if (parts.includes(false)) giveUp(fold.walk, "allOf", "widened");
  const folded = parts.filter(isRecord).map((part) => foldObject(part, fold));
  return merged(base, folded, fold);
}

interface Union {
  readonly keyword: string;
  readonly parts: readonly unknown[];
}

function foldUnion(base: Members, { keyword, parts }: Union, fold: Fold): Members {
  // A choice inside a branch arises only once that branch is taken; it is not told at the root.
  const inner = { walk: fold.walk, choices: [] };
  const branches = parts.filter(canBeObject).map((part) => (isRecord(part) ? foldObject(part, inner) : {}));
  if (branches.length < 2) return merged(base, branches, fold);
  giveUp(fold.walk, keyword, "moved");
  fold.choices.push(choiceOf(keyword, branches));
  const required = commonlyRequired(branches);
  const isClosed = isUnionClosed(branches, fold.walk);
  const union: Members = { properties: unionProperties(branches) };
  if (required.length > 0) union["required"] = required;
  if (isClosed && !Object.hasOwn(base, "additionalProperties")) union["additionalProperties"] = false;
  return merged(base, [union], fold);
}

function merged(base: Members, parts: readonly Members[], fold: Fold): Members {
  return mergeAll([base, ...parts], (keyword) => giveUp(fold.walk, keyword, "dropped"));
}

function canBeObject(part: unknown): boolean {
  if (!isRecord(part)) return part === true;
  const type = part["type"];
  return type === undefined || [type].flat().includes("object");
}

/** Whether no branch takes more than its properties. Names that fit a pattern of one branch stay possible beside them. */
function isUnionClosed(branches: readonly Members[], walk: SchemaWalk): boolean {
  const isClosed = branches.every((branch) => branch["additionalProperties"] === false);
  if (!branches.some((branch) => isRecord(branch["patternProperties"]))) return isClosed;
  giveUp(walk, "patternProperties", "dropped");
  if (isClosed) giveUp(walk, "additionalProperties", "widened");
  return false;
}

function unionProperties(branches: readonly Members[]): Members {
  const variants = new Map<string, unknown[]>();
  for (const branch of branches) {
    const properties = branch["properties"];
    if (!isRecord(properties)) continue;
    for (const name of Object.keys(properties)) {
      const known = variants.get(name);
      if (known) known.push(properties[name]);
      else variants.set(name, [properties[name]]);
    }
  }
  const united: Members = {};
  for (const [name, schemas] of variants) setMember(united, name, unionOf(schemas));
  return united;
}

function commonlyRequired(branches: readonly Members[]): readonly unknown[] {
  const [first, ...others] = branches.map(requiredOf);
  return [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
}

function requiredOf(branch: Members): ReadonlySet<unknown> {
  const required = branch["required"];
  return new Set(Array.isArray(required) ? required : []);
}

/** More names than this are a list, not a remark. */
const MAX_NAMED = 12;

function choiceOf(keyword: string, branches: readonly Members[]): string {
  const names = branches.slice(0, MAX_NAMED).map(branchName);
  return `${UNIONS[keyword]}: ${[...names, ...(branches.length > MAX_NAMED ? ["…"] : [])].join(" | ")}`;
}

/** What to call a branch: its title, or the properties that make it out, with their value where it is fixed. */
function branchName(branch: Members): string {
  const title = branch["title"];
  if (typeof title === "string" && title !== "") return title;
  const properties = isRecord(branch["properties"]) ? branch["properties"] : {};
  const names = [...requiredOf(branch)].map((name) =>
    withFixedValue(String(name), ownMember(properties, String(name))),
  );
  if (names.length > 0) return names.join(" + ");
  return Object.keys(properties).join(", ") || "anything";
}

function withFixedValue(name: string, schema: unknown): string {
  const value = isRecord(schema) ? schema["const"] : undefined;
  return typeof value === "string" ? `${name} ${JSON.stringify(value)}` : name;
}
