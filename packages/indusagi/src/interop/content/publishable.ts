import { shortenText } from "../../core/index.ts";
import { isRecord } from "../../core/internal.ts";
import type { ItemKind, ListedItem } from "../contract/index.ts";
import { compilableSchema } from "./compilable-schema.ts";

/** A list that clients can request. */
export type ListKind = ItemKind | "tools";

/** Why a definition is left out. */
export interface LeftOut {
  /** Its name, or its URI if it has none. */
  readonly name?: string;
  readonly why: string;
}

/** The definitions of a list that clients accept. */
export interface Publishable {
  /** The given array if all its items are valid. */
  readonly items: readonly ListedItem[];
  readonly leftOut: readonly LeftOut[];
}

/**
 * The definitions of a list in a form that the official clients of both generations accept: they reject a whole list because of
 * one malformed definition. A valid definition stays the same object. A malformed one is repaired if its meaning is clear, and
 * left out otherwise.
 */
export function publishableItems(kind: ListKind, items: readonly unknown[]): Publishable {
  const leftOut: LeftOut[] = [];
  const published: ListedItem[] = [];
  let isSame = true;
  for (const item of items) {
    const result = publish(kind, item);
    isSame &&= result === item;
    if (result instanceof Flaw) leftOut.push(leftOutFor(item, result));
    else published.push(result);
  }
  return { items: isSame ? (items as readonly ListedItem[]) : published, leftOut };
}

function leftOutFor(item: unknown, flaw: Flaw): LeftOut {
  return { ...nameOf(item), why: `its ${flaw.at} is malformed` };
}

/** More would hide the other notes about a server. */
const MAX_NAMED = 3;
const MAX_NAME_CHARS = 64;

/** Such as `2 tools are left out: "a" (…), "b" (…)`. */
export function leftOutLine(kind: ListKind, leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const named = leftOut.slice(0, MAX_NAMED).map(({ name, why }) => {
    const shown =
      name === undefined ? "one without a name" : JSON.stringify(shortenText(name, MAX_NAME_CHARS));
    return `${shown} (${why})`;
  });
  const what = leftOut.length === 1 ? `1 ${ONE[kind]} is` : `${leftOut.length} ${ONE[kind]}s are`;
  const more = leftOut.length > MAX_NAMED ? ` and ${leftOut.length - MAX_NAMED} more` : "";
  return `${what} left out: ${named.join(", ")}${more}`;
}

/** One line that names what is left out of a list; undefined if everything is valid or can be repaired. */
export function leftOutNote(kind: ListKind, items: readonly unknown[]): string | undefined {
  const leftOut: LeftOut[] = [];
  for (const item of items) {
    // Not remembered: most programs only want this line, and remembering ten thousand definitions costs more than checking them.
    const result = isRecord(item) ? (checked[kind].get(item) ?? DEFINITIONS[kind](item)) : NO_DEFINITION;
    if (result instanceof Flaw) leftOut.push(leftOutFor(item, result));
  }
  return leftOutLine(kind, leftOut);
}

const ONE: { readonly [kind in ListKind]: string } = {
  tools: "tool",
  prompts: "prompt",
  resources: "resource",
  templates: "resource template",
};

/** One definition in the form of `publishableItems`; undefined if it is left out. */
export function publishable(kind: ListKind, item: unknown): ListedItem | undefined {
  const result = publish(kind, item);
  return result instanceof Flaw ? undefined : result;
}

/** The result of a `…/list` request with its other members in valid form. The list itself is not checked. */
export function publishableResult(result: ListedItem): ListedItem {
  return LIST_RESULT(result) as ListedItem;
}

/** Each definition is checked once: a list is sent many times. */
const checked: { readonly [kind in ListKind]: WeakMap<object, ListedItem | Flaw> } = {
  tools: new WeakMap(),
  prompts: new WeakMap(),
  resources: new WeakMap(),
  templates: new WeakMap(),
};

function publish(kind: ListKind, item: unknown): ListedItem | Flaw {
  if (!isRecord(item)) return NO_DEFINITION;
  const known = checked[kind].get(item);
  if (known) return known;
  const result = DEFINITIONS[kind](item) as ListedItem | Flaw;
  checked[kind].set(item, result);
  // A repaired definition is valid.
  if (result !== item && !(result instanceof Flaw)) checked[kind].set(result, result);
  return result;
}

function nameOf(item: unknown): Pick<LeftOut, "name"> {
  const { name, uri, uriTemplate } = isRecord(item) ? item : {};
  const shown = [name, uri, uriTemplate].find((text) => typeof text === "string");
  return typeof shown === "string" ? { name: shown } : {};
}

/** Where a definition has a value without a valid form. */
class Flaw {
  readonly at: string;

  constructor(at = "") {
    this.at = at;
  }

  in(member: string): Flaw {
    return new Flaw(this.at === "" ? member : `${member}.${this.at}`);
  }
}

const FLAW = new Flaw();
const NO_DEFINITION = new Flaw("definition");

/** Returns the value if it is valid, a repaired one, undefined if it is meaningless and dropped, or a flaw. */
type Check = (value: unknown) => unknown;

/**
 * What a flawed member means for its object. `required`: the object is flawed, even if the member is absent. `significant`: the
 * object is flawed, because dropping the member would change its meaning. `optional`: the member is dropped.
 */
type Row = readonly [weight: "required" | "significant" | "optional", check: Check];

/** An object with these members. Members without a row are not checked. */
function shape(rows: { readonly [member: string]: Row }): Check {
  const table = Object.entries(rows);
  return (value) => {
    if (!isRecord(value)) return FLAW;
    let changes: Map<string, unknown> | undefined;
    for (const [member, [weight, check]] of table) {
      const before = value[member];
      if (before === undefined && weight !== "required") continue;
      // Many languages write an absent member as null.
      const after = before === null && weight === "significant" ? undefined : check(before);
      if (after === before) continue;
      if (after instanceof Flaw && weight !== "optional") return after.in(member);
      changes ??= new Map();
      changes.set(member, after instanceof Flaw ? undefined : after);
    }
    return changes ? changed(value, changes) : value;
  };
}

/** A copy with some members changed; those changed to undefined are removed. */
function changed(value: ListedItem, changes: ReadonlyMap<string, unknown>): ListedItem {
  const members = new Map([...Object.entries(value), ...changes]);
  return Object.fromEntries(
    [...members].filter(([member, each]) => each !== undefined || !changes.has(member)),
  );
}

function when(isValid: (value: unknown) => boolean): Check {
  return (value) => (isValid(value) ? value : FLAW);
}

/** A list without its flawed elements. */
function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return FLAW;
    const kept = value.map(check).filter((each) => !(each instanceof Flaw));
    return kept.length === value.length && kept.every((each, at) => each === value[at]) ? value : kept;
  };
}

/** A list of plain values. One wrong value makes the whole list flawed. */
function plainList(isValid: (value: unknown) => boolean): Check {
  return when((value) => Array.isArray(value) && value.every(isValid));
}

const isText = (value: unknown): boolean => typeof value === "string";
const oneOf =
  (...words: readonly unknown[]) =>
  (value: unknown): boolean =>
    words.includes(value);

const TEXT = when(isText);
const TEXTS = plainList(isText);
const FLAG = when((value) => typeof value === "boolean");
const RECORD = when(isRecord);

/** A time as in RFC 3339. Whether the day exists is checked separately. */
const TIME =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function isTime(value: unknown): boolean {
  const [, day] = (typeof value === "string" && TIME.exec(value)) || [];
  if (day === undefined) return false;
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.valueOf()) && midnight.toISOString().startsWith(day);
}

const isShare = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= 1;

const ICON = shape({
  src: ["required", TEXT],
  mimeType: ["optional", TEXT],
  sizes: ["optional", TEXTS],
  theme: ["optional", when(oneOf("light", "dark"))],
});

const COMMON = {
  name: ["required", TEXT],
  title: ["optional", TEXT],
  description: ["optional", TEXT],
  icons: ["optional", listOf(ICON)],
  _meta: ["optional", RECORD],
} as const satisfies { readonly [member: string]: Row };

/** Arguments are always an object, so a schema without a type, or with several, means an object. */
const objectType: Check = (type) => {
  if (type === undefined || type === null) return "object";
  return type === "object" || (Array.isArray(type) && type.includes("object")) ? "object" : FLAW;
};

/** Older clients accept only objects as schemas, not booleans. */
const PLAIN_SCHEMAS: ReadonlyMap<unknown, object> = new Map<unknown, object>([
  [true, {}],
  [false, { not: {} }],
  [null, {}],
]);

/** Some languages write an empty object as an empty list, and vice versa. */
const schemaProperties: Check = (value) => {
  if (Array.isArray(value) && value.length === 0) return {};
  if (!isRecord(value)) return FLAW;
  if (Object.values(value).every(isObject)) return value;
  const after = Object.entries(value).map(
    ([name, schema]) => [name, PLAIN_SCHEMAS.get(schema) ?? schema] as const,
  );
  return after.every(([, schema]) => isObject(schema)) ? Object.fromEntries(after) : FLAW;
};

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** In draft 3 `required` is a boolean about the schema itself, which is meaningless here. */
const requiredNames: Check = (value) => {
  if (typeof value === "boolean" || (isRecord(value) && Object.keys(value).length === 0)) return undefined;
  return TEXTS(value);
};

const OBJECT_SCHEMA = {
  $schema: ["optional", TEXT],
  properties: ["significant", schemaProperties],
  required: ["significant", requiredNames],
} as const satisfies { readonly [member: string]: Row };

const objectOutput = shape(OBJECT_SCHEMA);
const otherOutput = shape({ $schema: OBJECT_SCHEMA.$schema });

/** In the legacy era the SDK wraps schemas of other types. A tool without its output schema can still be called. */
const outputSchema: Check = (value) => {
  const output = isRecord(value) && value["type"] === "object" ? objectOutput(value) : otherOutput(value);
  return (isRecord(output) && !(output instanceof Flaw) && compilableSchema(output)) || FLAW;
};

const RESOURCE_MEMBERS = {
  ...COMMON,
  mimeType: ["optional", TEXT],
  annotations: [
    "optional",
    shape({
      audience: ["optional", plainList(oneOf("user", "assistant"))],
      priority: ["optional", when(isShare)],
      lastModified: ["optional", when(isTime)],
    }),
  ],
} as const satisfies { readonly [member: string]: Row };

/** What the official clients require. Dropping a hint of a tool is safe: each default is the cautious one. */
const DEFINITIONS: { readonly [kind in ListKind]: Check } = {
  tools: shape({
    ...COMMON,
    inputSchema: ["required", shape({ ...OBJECT_SCHEMA, type: ["required", objectType] })],
    outputSchema: ["optional", outputSchema],
    annotations: [
      "optional",
      shape({
        title: ["optional", TEXT],
        readOnlyHint: ["optional", FLAG],
        destructiveHint: ["optional", FLAG],
        idempotentHint: ["optional", FLAG],
        openWorldHint: ["optional", FLAG],
      }),
    ],
    execution: [
      "optional",
      shape({ taskSupport: ["optional", when(oneOf("required", "optional", "forbidden"))] }),
    ],
  }),
  prompts: shape({
    ...COMMON,
    arguments: [
      "optional",
      listOf(
        shape({ name: ["required", TEXT], description: ["optional", TEXT], required: ["optional", FLAG] }),
      ),
    ],
  }),
  resources: shape({
    ...RESOURCE_MEMBERS,
    uri: ["required", TEXT],
    size: ["optional", when(Number.isFinite)],
  }),
  templates: shape({ ...RESOURCE_MEMBERS, uriTemplate: ["required", TEXT] }),
};

const LIST_RESULT = shape({
  _meta: COMMON._meta,
  nextCursor: ["optional", TEXT],
  ttlMs: ["optional", when((value) => Number.isSafeInteger(value) && (value as number) >= 0)],
  cacheScope: ["optional", when(oneOf("public", "private"))],
});
