type Members = { readonly [name: string]: unknown };

/** A name that somebody made up is cut at this length, a list of names after so many. */
const MAX_NAME = 80;
const MAX_NAMES = 20;

/**
 * The commonest ways not to fit a schema, in words a model can act on: a member that is missing, not known, of the
 * wrong type or none of the values there are. Whatever it names is wrong indeed; nothing means a rarer reason.
 */
export function explainMismatch(schema: unknown, value: unknown, at = ""): string | undefined {
  // What stands beside a reference counts in some drafts only.
  if (!isRecord(schema) || schema["$ref"] !== undefined) return undefined;
  const { type, enum: allowed } = schema;
  const kinds = [type].flat().filter((kind) => typeof kind === "string");
  if (kinds.length > 0 && !kinds.some((kind) => isOf(kind, value)))
    return `${subject(at)} must be ${kinds.map((kind) => WORDS[kind] ?? kind).join(" or ")}, got ${kindOf(value)}`;
  if (Array.isArray(allowed) && !isContainer(value) && !allowed.includes(value))
    return `${subject(at)} must be one of ${listed(allowed.map((item) => JSON.stringify(item)))}`;
  if (Array.isArray(value)) return inItems(schema, value, at);
  return isRecord(value) ? inMembers(schema, value, at) : undefined;
}

function inItems({ items, prefixItems }: Members, list: readonly unknown[], at: string): string | undefined {
  if (!isRecord(items) || prefixItems !== undefined) return undefined;
  return firstOf(list.entries(), ([index, item]) => explainMismatch(items, item, `${at}[${index}]`));
}

function inMembers(schema: Members, value: Members, at: string): string | undefined {
  const { required, additionalProperties, patternProperties } = schema;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const missing = (Array.isArray(required) ? required : []).find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${subject(join(at, missing))} is missing`;
  const isClosed = additionalProperties === false && patternProperties === undefined;
  return firstOf(Object.keys(value), (name) => {
    const here = join(at, name);
    if (Object.hasOwn(properties, name)) return explainMismatch(properties[name], value[name], here);
    return isClosed ? `${subject(here)} is not known; known: ${listed(Object.keys(properties))}` : undefined;
  });
}

function firstOf<Item>(items: Iterable<Item>, find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const WORDS: { readonly [kind: string]: string } = {
  object: "an object",
  array: "an array",
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
};

function isOf(kind: string, value: unknown): boolean {
  switch (kind) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === kind;
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (isRecord(value)) return "an object";
  return typeof value === "string" ? JSON.stringify(brief(value)) : String(value);
}

function isRecord(value: unknown): value is Members {
  return isContainer(value) && !Array.isArray(value);
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function listed(names: readonly string[]): string {
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `${names.slice(0, MAX_NAMES).join(", ") || "none"}${rest}`;
}

function subject(at: string): string {
  return at === "" ? "the arguments" : JSON.stringify(brief(at));
}

function brief(text: string): string {
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}

function join(at: string, name: unknown): string {
  return at === "" ? String(name) : `${at}.${String(name)}`;
}
