import { isRecord } from "../../core/internal.ts";
import { resolvePointer } from "../../llm/arguments/index.ts";
import { schemaBudgetProblem } from "../../llm/index.ts";

/** A schema that is an object. */
interface Schema {
  readonly [keyword: string]: unknown;
}

/**
 * Whether the validator of the official clients compiles a schema. The client of the first generation compiles all output schemas
 * of a list, and refuses the list if one of them fails. A schema that is valid JSON Schema is compilable, except for the form of
 * draft 4, references to other documents, and references in a schema with a nested `$id`, which are not followed.
 */
export function isCompilable(root: Schema): boolean {
  if (schemaBudgetProblem(root) !== undefined) return false;
  const names = namesIn(root);
  if (!names) return false;
  const seen = new Set<unknown>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const schema = open.pop();
    if (typeof schema === "boolean" || seen.has(schema)) continue;
    if (!isRecord(schema)) return false;
    seen.add(schema);
    const place = { schema, root, names };
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword];
      const check = value === undefined ? undefined : KEYWORDS.get(keyword);
      const below = check ? check(value, place) : NO_SCHEMAS;
      if (below === WRONG) return false;
      open.push(...below);
    }
  }
  return true;
}

/** Where a keyword is. */
interface Place {
  readonly schema: Schema;
  readonly root: Schema;
  readonly names: Names;
}

/** The schemas in the value of a keyword, or that it cannot be used. */
type Keyword = (value: unknown, place: Place) => readonly unknown[] | typeof WRONG;

const WRONG = Symbol("wrong");
const NO_SCHEMAS: readonly unknown[] = [];

function plain(isValid: (value: unknown, place: Place) => boolean): Keyword {
  return (value, place) => (isValid(value, place) ? NO_SCHEMAS : WRONG);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const TYPES: readonly unknown[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

function isType(value: unknown): boolean {
  return Array.isArray(value) ? value.every((each) => TYPES.includes(each)) : TYPES.includes(value);
}

/** `nullable` is not of JSON Schema, but the validator knows it. */
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
const NEVER: Keyword = () => WRONG;
const SCHEMA: Keyword = (value) => [value];
const SCHEMAS: Keyword = (value) => (Array.isArray(value) ? value : WRONG);
const SCHEMA_MAP: Keyword = (value) => (isRecord(value) ? Object.values(value) : WRONG);

/** A reference, with the schema that it names. The walk judges that too. */
const reference: Keyword = (value, { root, names }) => {
  if (!isText(value) || names.areNested) return WRONG;
  if (value.startsWith("http://json-schema.org/draft-07/schema")) return NO_SCHEMAS;
  const [document = "", fragment = ""] = value.split(/#(.*)/s);
  if (document !== "" && document !== names.own) return WRONG;
  if (fragment === "" || fragment === "/") return NO_SCHEMAS;
  const named = names.anchors.get(fragment);
  if (named) return [named];
  const target = resolvePointer(root, `#${fragment}`);
  return typeof target === "object" ? [target.value] : WRONG;
};

/** The keywords that the validator looks at. */
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ["then", SCHEMA],
  ...Object.entries<Keyword>({
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
    additionalItems: SCHEMA,
    additionalProperties: SCHEMA,
    contains: SCHEMA,
    if: SCHEMA,
    else: SCHEMA,
    not: SCHEMA,
    propertyNames: SCHEMA,
    allOf: SCHEMAS,
    anyOf: SCHEMAS,
    oneOf: SCHEMAS,
    items: (value) => (Array.isArray(value) ? value : [value]),
    properties: SCHEMA_MAP,
    patternProperties: (value, place) =>
      isRecord(value) && Object.keys(value).every(isPattern) ? SCHEMA_MAP(value, place) : WRONG,
    dependencies: (value) =>
      isRecord(value) ? Object.values(value).filter((each) => !areTexts(each)) : WRONG,
    $id: TEXT,
    $ref: reference,
    // Of draft 4, and of the validator itself.
    id: NEVER,
    $async: NEVER,
    formatMaximum: NEVER,
    formatMinimum: NEVER,
    formatExclusiveMaximum: NEVER,
    formatExclusiveMinimum: NEVER,
  }),
]);

/** The names that references can use. */
interface Names {
  /** The `$id` of the root. */
  readonly own: string;
  readonly anchors: ReadonlyMap<string, Schema>;
  /** Whether a part of the schema is a document of its own. */
  readonly areNested: boolean;
}

/** Their values are data, in which a name means nothing. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);
const ANCHOR = /^[a-z_][-a-z0-9._]*$/i;

/** Undefined if a name is malformed, or is there twice. */
function namesIn(root: Schema): Names | undefined {
  const anchors = new Map<string, Schema>();
  let areNested = false;
  let own = "";
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) open.push(...(value as readonly unknown[]));
    if (!isRecord(value)) continue;
    const { $id: id, $anchor: anchor, $dynamicAnchor: dynamic } = value;
    const isFragment = isText(id) && id.startsWith("#");
    if (isText(id) && !isFragment) {
      if (value === root) own = id.replace(/#\/?$/, "");
      else areNested = true;
    }
    for (const name of [isFragment ? id.slice(1) : undefined, anchor, dynamic].filter(isText)) {
      if (!ANCHOR.test(name) || anchors.has(name)) return undefined;
      anchors.set(name, value);
    }
    for (const keyword of Object.keys(value)) {
      const each = value[keyword];
      if (typeof each === "object" && !DATA.has(keyword)) open.push(each);
    }
  }
  return { own, anchors, areNested };
}
