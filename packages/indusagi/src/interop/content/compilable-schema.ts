import { isRecord } from "../../core/internal.ts";
import { resolvePointer } from "../../llm/arguments/index.ts";
import { schemaBudgetProblem } from "../../llm/index.ts";
import { JSON_TYPES, KEYWORDS, keywordsWhere, type SubschemaForm } from "../../llm/internal.ts";

interface Schema {
  readonly [keyword: string]: unknown;
}

/**
 * A schema in a form that the validator of the official clients compiles, even together with the schemas of other tools; undefined
 * if there is none. The first-generation client compiles all output schemas of a list with one validator and rejects the list if
 * one of them fails. A schema without names (`$id`, `$anchor`) stays the same object. Every valid schema has such a form, except
 * draft 4 schemas, references to other documents or by name, and references in a schema with a name inside.
 */
export function compilableSchema(root: Schema): Schema | undefined {
  if (schemaBudgetProblem(root) !== undefined) return undefined;
  const nameless = withoutNames(root);
  return nameless && compiles(nameless) ? nameless : undefined;
}

/** Whether a schema without names compiles. */
function compiles(root: Schema): boolean {
  const targets = new Map<string, Target | undefined>();
  const find: Find = (pointer) => {
    if (!targets.has(pointer)) targets.set(pointer, targetOf(root, pointer));
    return targets.get(pointer);
  };
  const seen = new Set<unknown>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const schema = open.pop();
    if (typeof schema === "boolean" || seen.has(schema)) continue;
    if (!isRecord(schema)) return false;
    seen.add(schema);
    const place = { schema, find };
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword];
      const check = value === undefined ? undefined : CHECKS.get(keyword);
      const below = check ? check(value, place) : NO_SCHEMAS;
      if (below === WRONG) return false;
      open.push(...below);
    }
  }
  return isShallow(root, find);
}

/** Where a keyword is. */
interface Place {
  readonly schema: Schema;
  readonly find: Find;
}

/** What a reference points to. */
interface Target {
  readonly value: unknown;
}

type Find = (pointer: string) => Target | undefined;

/** Returns the schemas in the value of a keyword, or `WRONG` if the value is invalid. */
type Check = (value: unknown, place: Place) => readonly unknown[] | typeof WRONG;

const WRONG = Symbol("wrong");
const NO_SCHEMAS: readonly unknown[] = [];

function plain(isValid: (value: unknown, place: Place) => boolean): Check {
  return (value, place) => (isValid(value, place) ? NO_SCHEMAS : WRONG);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

function isType(value: unknown): boolean {
  return Array.isArray(value) ? value.every((each) => JSON_TYPES.has(each)) : JSON_TYPES.has(value);
}

/** Not part of JSON Schema, but the validator supports it. */
function isNullable(value: unknown, { schema: { type } }: Place): boolean {
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  return isFlag(value) && types.length > 0 && (value === true || !types.includes("null"));
}

function isPattern(value: unknown): boolean {
  if (!isText(value)) return false;
  try {
    return new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

const NUMBER = plain(Number.isFinite);
const FLAG = plain(isFlag);
const TEXT = plain(isText);
const NEVER: Check = () => WRONG;

const SCHEMAS: { readonly [holds in SubschemaForm]: Check } = {
  schema: (value) => [value],
  list: (value) => (Array.isArray(value) ? value : WRONG),
  either: (value) => (Array.isArray(value) ? value : [value]),
  map: (value) => (isRecord(value) ? Object.values(value) : WRONG),
};

/** Returns the schema that the reference points to, so the walk checks it too. */
const reference: Check = (value, { find }) => {
  if (!isText(value)) return WRONG;
  if (METASCHEMA.test(value)) return NO_SCHEMAS;
  const target = find(value);
  return target && !isEndless(target.value, find) ? [target.value] : WRONG;
};

/** The only other document that the validator knows. */
const METASCHEMA = /^http:\/\/json-schema\.org\/draft-07\/schema#?$/;
/** The validator cuts off a second `#` and treats `%2F` as part of a name. */
const POINTER = /^#(?:\/(?:(?!%2f)[^#])*)?$/is;

/** What a pointer points to, if the validator finds the same, even after the SDK has moved the schema into another one. */
function targetOf(root: Schema, pointer: string): Target | undefined {
  const target = POINTER.test(pointer) ? resolvePointer(root, pointer) : undefined;
  if (typeof target !== "object") return undefined;
  let isMap = false;
  let path = "#";
  for (const token of pointer.split("/").slice(1)) {
    // References in data are not moved.
    if (!isMap && DATA.has(token)) return undefined;
    path += `/${token}`;
    isMap = !isMap && MAPS.has(token);
    const passed = resolvePointer(root, path);
    // Except in `properties`, the validator treats a property named `$id` as a name.
    const isNamed = typeof passed === "object" && isRecord(passed.value) && "$id" in passed.value;
    if (isNamed && token !== "properties") return undefined;
  }
  return target;
}

/** Whether a chain of references ends in a loop. */
function isEndless(schema: unknown, find: Find): boolean {
  const passed = new Set<unknown>();
  let at = schema;
  while (isRecord(at)) {
    if (passed.has(at) || passed.size > MAX_STEPS) return true;
    passed.add(at);
    const next = at["$ref"] ?? at["$recursiveRef"];
    at = isText(next) ? find(next)?.value : undefined;
  }
  return false;
}

/** With Node's default stack size the validator survives at least 570 steps. A level of JSON is one step, a reference is two. */
const MAX_STEPS = 300;

/** Whether the recursion of the validator fits on its stack: it compiles a part while compiling the one that refers to it. */
function isShallow(root: Schema, find: Find): boolean {
  const parts = new Map<unknown, Part>();
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (parts.has(value)) continue;
    const targets = new Set<unknown>();
    parts.set(value, { steps: 2 + levelsOf(value, find, targets), targets });
    open.push(...targets);
  }
  const isSmall = [...parts.values()].reduce((sum, { steps }) => sum + steps, 0) <= MAX_STEPS;
  if (isSmall) return true;
  // In a cycle the depth depends on the order, which is not known here.
  const longest = new Map<unknown, number>();
  const stepsFrom = (value: unknown, left: number): number => {
    const { steps = 0, targets = [] } = parts.get(value) ?? {};
    const known = longest.get(value);
    if (known !== undefined || steps > left) return known ?? Number.POSITIVE_INFINITY;
    longest.set(value, Number.POSITIVE_INFINITY);
    let below = 0;
    for (const target of targets) below = Math.max(below, stepsFrom(target, left - steps));
    longest.set(value, steps + below);
    return steps + below;
  };
  return stepsFrom(root, MAX_STEPS) <= MAX_STEPS;
}

/** A part of a schema that is compiled as a unit. */
interface Part {
  readonly steps: number;
  readonly targets: ReadonlySet<unknown>;
}

/** How deep a value is. Adds the targets of its references. */
function levelsOf(value: unknown, find: Find, targets: Set<unknown>): number {
  if (typeof value !== "object" || value === null) return 0;
  let below = 0;
  for (const [key, each] of Object.entries(value)) {
    const target = key === "$ref" && isText(each) ? find(each) : undefined;
    if (target) targets.add(target.value);
    below = Math.max(below, levelsOf(each, find, targets));
  }
  return 1 + below;
}

/** The keywords that the validator, which implements draft 7, checks. */
const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...[...KEYWORDS].flatMap(([name, { role, holds, isModern }]) =>
    holds && role === "assertion" && !isModern ? [[name, SCHEMAS[holds]] as const] : [],
  ),
  ...Object.entries<Check>({
    type: plain(isType),
    nullable: plain(isNullable),
    enum: plain((value) => Array.isArray(value) && value.length > 0),
    multipleOf: NUMBER,
    maximum: NUMBER,
    minimum: NUMBER,
    exclusiveMaximum: NUMBER,
    exclusiveMinimum: NUMBER,
    maxLength: NUMBER,
    minLength: NUMBER,
    maxItems: NUMBER,
    minItems: NUMBER,
    maxProperties: NUMBER,
    minProperties: NUMBER,
    uniqueItems: FLAG,
    required: plain(areTexts),
    pattern: plain(isPattern),
    format: TEXT,
    patternProperties: (value, place) =>
      isRecord(value) && Object.keys(value).every(isPattern) ? SCHEMAS.map(value, place) : WRONG,
    dependencies: (value) =>
      isRecord(value) ? Object.values(value).filter((each) => !areTexts(each)) : WRONG,
    $ref: reference,
    // The SDK writes it as `$ref` for older clients.
    $recursiveRef: reference,
    // One that is not a string, or is in data.
    $id: NEVER,
    // From draft 4, and extensions of the validator itself.
    id: NEVER,
    $async: NEVER,
    formatMaximum: NEVER,
    formatMinimum: NEVER,
    formatExclusiveMaximum: NEVER,
    formatExclusiveMinimum: NEVER,
  }),
]);

const NAMES: ReadonlySet<string> = new Set(["$id", "$anchor", "$dynamicAnchor"]);
const REFERENCES = keywordsWhere(({ role }) => role === "reference");
/** Names in their values are plain data. */
const DATA = keywordsWhere(({ isData }) => isData);
/** Their members have arbitrary names, such as `default`. The validator knows `$defs`, but not `dependentSchemas`. */
const MAPS = keywordsWhere(({ role, holds, isModern }) => holds === "map" && (role === "meta" || !isModern));

/**
 * A schema without names; the same object if it has none. The validator keeps the names of all schemas it has compiled, so a name
 * used by two tools fails or resolves to the other tool's schema. Undefined if something may refer to a name.
 */
function withoutNames(root: Schema): Schema | undefined {
  const references: string[] = [];
  let isOdd = false;
  let isNamedInside = false;

  function strip(value: unknown, isMap: boolean): unknown {
    if (Array.isArray(value)) {
      const after = value.map((each) => strip(each, false));
      return after.every((each, at) => each === value[at]) ? value : after;
    }
    if (!isRecord(value)) return value;
    let isSame = true;
    const after = Object.entries(value).flatMap(([key, before]) => {
      if (!isMap && isText(before) && REFERENCES.has(key)) references.push(before);
      if (!isMap && isText(before) && NAMES.has(key)) {
        isNamedInside ||= value !== root || key !== "$id";
        isSame = false;
        return [];
      }
      // No keyword has such a name, but the validator looks keywords up in plain objects and finds the inherited member.
      isOdd ||= !isMap && key in Object.prototype;
      const isData = !isMap && DATA.has(key) && (key !== "examples" || Array.isArray(before));
      const each = isData ? before : strip(before, !isMap && MAPS.has(key));
      isSame &&= each === before;
      return [[key, each] as const];
    });
    return isSame ? value : Object.fromEntries(after);
  }

  const nameless = strip(root, false) as Schema;
  if (isOdd) return undefined;
  if (nameless === root) return root;
  const isKept = (to: string): boolean => METASCHEMA.test(to) || (!isNamedInside && POINTER.test(to));
  return references.every(isKept) ? nameless : undefined;
}
