import { isRecord, sameJson } from "../../../core/internal.ts";
import { type Members, ownMember, setMember } from "../../members.ts";
import { KEYWORD_GROUPS, keywordsWhere } from "../../schema-keywords.ts";

/** Called for each keyword whose two values cannot be merged into one. */
type OnConflict = (keyword: string) => void;

/** Merges all schemas into one. Splits the list in halves, so thousands of parts take n log n time and little stack. */
export function mergeAll(schemas: readonly Members[], onConflict: OnConflict): Members {
  const [first, second] = schemas;
  if (first === undefined || second === undefined) return first ?? {};
  const middle = Math.ceil(schemas.length / 2);
  const [left, right] = [schemas.slice(0, middle), schemas.slice(middle)];
  return mergeSchemas(mergeAll(left, onConflict), mergeAll(right, onConflict), onConflict);
}

/**
 * Merges two schemas into one without `allOf`. If two values of a keyword cannot be merged, the first is kept: the result
 * may then accept more than both schemas together, never less.
 */
export function mergeSchemas(first: Members, second: Members, onConflict: OnConflict): Members {
  const merged: Members = {};
  for (const keyword of Object.keys(first)) setMember(merged, keyword, first[keyword]);
  for (const keyword of Object.keys(second)) {
    if (splitsGroup(keyword, first, second)) {
      onConflict(keyword);
      continue;
    }
    const mine = ownMember(merged, keyword);
    const theirs = second[keyword];
    if (theirs === undefined) continue;
    const isAgreed = mine === undefined || sameJson(mine, theirs);
    const joined = isAgreed ? theirs : mergeValues(keyword, mine, theirs);
    if (joined === undefined) onConflict(keyword);
    else setMember(merged, keyword, joined);
  }
  return merged;
}

/** Mixing one schema's `if` with another's `then` would change the meaning. */
function splitsGroup(keyword: string, first: Members, second: Members): boolean {
  const group = KEYWORD_GROUPS.find((each) => each.includes(keyword));
  if (!group) return false;
  return group.some((each) => Object.hasOwn(first, each) && !sameJson(first[each], ownMember(second, each)));
}

type MergeValues = (mine: unknown, theirs: unknown) => unknown;

const BY_KEYWORD: ReadonlyMap<string, MergeValues> = new Map<string, MergeValues>([
  ["type", commonTypes],
  ["properties", mergeProperties],
  ["patternProperties", mergeProperties],
  ["required", unionOfNames],
  ["additionalProperties", bothSchemas],
  ["items", bothSchemas],
  ["enum", commonElements],
  ["minimum", Math.max as MergeValues],
  ["exclusiveMinimum", Math.max as MergeValues],
  ["minLength", Math.max as MergeValues],
  ["minItems", Math.max as MergeValues],
  ["minProperties", Math.max as MergeValues],
  ["maximum", Math.min as MergeValues],
  ["exclusiveMaximum", Math.min as MergeValues],
  ["maxLength", Math.min as MergeValues],
  ["maxItems", Math.min as MergeValues],
  ["maxProperties", Math.min as MergeValues],
]);

/** Annotations: the first of two values is kept, without a conflict. */
const TEXT_KEYWORDS: ReadonlySet<string> = new Set(["title", "description", "default", "examples"]);

/** Two different values of a keyword as one, or `undefined` if they cannot be merged. */
function mergeValues(keyword: string, mine: unknown, theirs: unknown): unknown {
  return TEXT_KEYWORDS.has(keyword) ? mine : BY_KEYWORD.get(keyword)?.(mine, theirs);
}

function commonTypes(mine: unknown, theirs: unknown): unknown {
  const ours = [mine].flat();
  const others = new Set([theirs].flat());
  const common = ours.flatMap((type) => {
    if (others.has(type) || (type === "integer" && others.has("number"))) return [type];
    return type === "number" && others.has("integer") ? ["integer"] : [];
  });
  if (common.length === 0) return undefined;
  return common.length === 1 ? common[0] : common;
}

function mergeProperties(mine: unknown, theirs: unknown): unknown {
  if (!isRecord(mine) || !isRecord(theirs)) return undefined;
  const merged: Members = {};
  for (const name of Object.keys(mine)) setMember(merged, name, mine[name]);
  for (const name of Object.keys(theirs)) {
    const known = ownMember(merged, name);
    setMember(merged, name, known === undefined ? theirs[name] : bothSchemas(known, theirs[name]));
  }
  return merged;
}

function bothSchemas(mine: unknown, theirs: unknown): unknown {
  if (mine === false || theirs === false) return false;
  if (mine === true || sameJson(mine, theirs)) return theirs;
  if (theirs === true) return mine;
  return mergeFlat(mine, theirs) ?? { allOf: [mine, theirs] };
}

/** Merges two schemas without subschemas, if the result is exactly equivalent to both together. */
function mergeFlat(mine: unknown, theirs: unknown): Members | undefined {
  if (!isFlat(mine) || !isFlat(theirs)) return undefined;
  let isExact = true;
  const merged = mergeSchemas(mine, theirs, () => {
    isExact = false;
  });
  return isExact ? merged : undefined;
}

const HOLDS_SCHEMAS = keywordsWhere(({ holds }) => holds);

/** Whether a schema has no subschemas. With subschemas, keywords depend on their neighbours. */
function isFlat(schema: unknown): schema is Members {
  return isRecord(schema) && !Object.keys(schema).some((keyword) => HOLDS_SCHEMAS.has(keyword));
}

function unionOfNames(mine: unknown, theirs: unknown): unknown {
  if (!Array.isArray(mine) || !Array.isArray(theirs)) return undefined;
  return [...new Set([...mine, ...theirs])];
}

/** Compares by identity only: a deep comparison of every pair would let a hostile schema cause millions of comparisons. */
function commonElements(mine: unknown, theirs: unknown): unknown {
  if (!Array.isArray(mine) || !Array.isArray(theirs)) return undefined;
  const others = new Set<unknown>(theirs);
  const common = mine.filter((value) => others.has(value));
  return common.length > 0 ? common : undefined;
}

/** A schema that accepts what any of the given schemas accepts. Schemas of fixed values become one `enum`. */
export function unionOf(schemas: readonly unknown[]): unknown {
  const values = enumOf(schemas);
  if (values) return values;
  const distinct = schemas.length > MAX_COMPARED ? schemas : schemas.filter(isFirstOccurrence);
  return distinct.length === 1 ? distinct[0] : { anyOf: distinct };
}

/** Above this number, comparing every pair costs more than keeping duplicates. */
const MAX_COMPARED = 64;

function isFirstOccurrence(schema: unknown, index: number, all: readonly unknown[]): boolean {
  return all.findIndex((other) => sameJson(schema, other)) === index;
}

function isFixedValueKeyword(keyword: string): boolean {
  return ["type", "const", "enum", "title", "description"].includes(keyword);
}

/** `{ enum: [...] }` with all values, if every schema is only a list of fixed values. */
function enumOf(schemas: readonly unknown[]): Members | undefined {
  if (schemas.length < 2) return undefined;
  const values = new Set<unknown>();
  const types = new Set<unknown>();
  for (const schema of schemas) {
    if (!isRecord(schema) || !Object.keys(schema).every(isFixedValueKeyword)) return undefined;
    const fixed = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
    if (!Array.isArray(fixed)) return undefined;
    for (const value of fixed) values.add(value);
    types.add(schema["type"]);
  }
  const [type] = types;
  return { ...(types.size === 1 && typeof type === "string" ? { type } : {}), enum: [...values] };
}
