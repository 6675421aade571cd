import { isRecord } from "../../../core/internal.ts";
import type { JsonSchema } from "../../contract/index.ts";
import { type Members, ownMember, setMember, withoutMembers } from "../../members.ts";
import { mergeAll, unionOf } from "./merge-schemas.ts";
import { appendNote, recordLoss, type SchemaWalk } from "./schema-walk.ts";

/**
 * Removes `allOf`, `anyOf` and `oneOf` from the root, where providers reject them. The result has the properties of all
 * branches, requires what every branch requires, and describes the choice in its description.
 */
export function foldRoot(root: JsonSchema, walk: SchemaWalk): JsonSchema {
  const choices: string[] = [];
  let folded = foldObject(root, { walk, choices });
  for (const choice of choices) folded = appendNote(folded, choice);
  return folded;
}

interface Fold {
  readonly walk: SchemaWalk;
  /** Descriptions of the choices between branches. */
  readonly choices: string[];
}

const UNIONS: { readonly [keyword: string]: string } = { anyOf: "at least one of", oneOf: "exactly one of" };
const COMBINATORS: readonly string[] = ["allOf", ...Object.keys(UNIONS)];

function foldObject(schema: Members, fold: Fold): Members {
  const combined = COMBINATORS.filter((keyword) => Array.isArray(schema[keyword]));
  if (combined.length === 0) return schema;
  let folded = withoutMembers(schema, ...combined);
  for (const keyword of combined) {
    const parts = schema[keyword] as readonly unknown[];
    folded =
      keyword === "allOf" ? foldAllOf(folded, parts, fold) : foldUnion(folded, { keyword, parts }, fold);
  }
  return folded;
}

function foldAllOf(base: Members, parts: readonly unknown[], fold: Fold): Members {
  if (parts.includes(false)) recordLoss(fold.walk, "allOf", "widened");
  const folded = parts.filter(isRecord).map((part) => foldObject(part, fold));
  return merged(base, folded, fold);
}

interface Union {
  readonly keyword: string;
  readonly parts: readonly unknown[];
}

function foldUnion(base: Members, { keyword, parts }: Union, fold: Fold): Members {
  // A choice inside a branch matters only within that branch, so it is not described at the root.
  const inner = { walk: fold.walk, choices: [] };
  const branches = parts.filter(mayBeObject).map((part) => (isRecord(part) ? foldObject(part, inner) : {}));
  if (branches.length < 2) return merged(base, branches, fold);
  recordLoss(fold.walk, keyword, "moved");
  fold.choices.push(describeChoice(keyword, branches));
  const required = requiredInAll(branches);
  const isClosed = isUnionClosed(branches, fold.walk);
  const union: Members = { properties: unionProperties(branches) };
  if (required.length > 0) union["required"] = required;
  if (isClosed && !Object.hasOwn(base, "additionalProperties")) union["additionalProperties"] = false;
  return merged(base, [union], fold);
}

function merged(base: Members, parts: readonly Members[], fold: Fold): Members {
  return mergeAll([base, ...parts], (keyword) => recordLoss(fold.walk, keyword, "dropped"));
}

function mayBeObject(part: unknown): boolean {
  if (!isRecord(part)) return part === true;
  const type = part["type"];
  return type === undefined || [type].flat().includes("object");
}

/** Whether every branch allows only its own properties. With `patternProperties` in any branch the union stays open. */
function isUnionClosed(branches: readonly Members[], walk: SchemaWalk): boolean {
  const isClosed = branches.every((branch) => branch["additionalProperties"] === false);
  if (!branches.some((branch) => isRecord(branch["patternProperties"]))) return isClosed;
  recordLoss(walk, "patternProperties", "dropped");
  if (isClosed) recordLoss(walk, "additionalProperties", "widened");
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

function requiredInAll(branches: readonly Members[]): readonly unknown[] {
  const [first, ...others] = branches.map(requiredOf);
  return [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
}

function requiredOf(branch: Members): ReadonlySet<unknown> {
  const required = branch["required"];
  return new Set(Array.isArray(required) ? required : []);
}

/** More names than this make the description too long to help. */
const MAX_NAMED_BRANCHES = 12;

function describeChoice(keyword: string, branches: readonly Members[]): string {
  const names = branches.slice(0, MAX_NAMED_BRANCHES).map(branchName);
  return `${UNIONS[keyword]}: ${[...names, ...(branches.length > MAX_NAMED_BRANCHES ? ["…"] : [])].join(" | ")}`;
}

/** A name for a branch: its title, else its required properties with their `const` values, else its properties. */
function branchName(branch: Members): string {
  const title = branch["title"];
  if (typeof title === "string" && title !== "") return title;
  const properties = isRecord(branch["properties"]) ? branch["properties"] : {};
  const names = [...requiredOf(branch)].map((name) =>
    nameWithConst(String(name), ownMember(properties, String(name))),
  );
  if (names.length > 0) return names.join(" + ");
  return Object.keys(properties).join(", ") || "anything";
}

function nameWithConst(name: string, schema: unknown): string {
  const value = isRecord(schema) ? schema["const"] : undefined;
  return typeof value === "string" ? `${name} ${JSON.stringify(value)}` : name;
}
