import { isRecord } from "../../core/internal.ts";
import type { Members } from "../members.ts";
import { itemSchema, memberSchema, requiredNames, typesIn } from "./schema-parts.ts";

/** Longer names, texts and lists of names are cut in a message. */
const MAX_TEXT = 80;
const MAX_NAMES = 20;

/**
 * Names the first value that does not fit a schema and what was expected, in words that a model can act on. Returns
 * nothing when everything fits. It checks `type`, `enum`, `required`, `properties`, `additionalProperties`, `items` and the
 * limits below, and ignores other keywords and schemas that are references: use a validator for those.
 */
export function explainMismatch(schema: unknown, value: unknown): string | undefined {
  return explain(schema, value, "");
}

function explain(schema: unknown, value: unknown, path: string): string | undefined {
  // Some drafts ignore everything next to a reference.
  if (!isRecord(schema) || schema["$ref"] !== undefined) return undefined;
  const types = typesIn(schema);
  if (types.length > 0 && !types.some((type) => hasType(type, value)))
    return `${subjectOf(path)} must be ${types.map((type) => PHRASES[type] ?? type).join(" or ")}, got ${show(value)}`;
  if (Array.isArray(schema["enum"]) && !isListed(schema["enum"], value))
    return `${subjectOf(path)} must be one of ${list(schema["enum"].map((item) => JSON.stringify(item)))}`;
  const limit = missedLimit(schema, value);
  if (limit !== undefined) return `${subjectOf(path)} must ${limit}`;
  if (Array.isArray(value)) return explainItems(itemSchema(schema), value, path);
  return isRecord(value) ? explainMembers(schema, value, path) : undefined;
}

function explainItems(schema: unknown, items: readonly unknown[], path: string): string | undefined {
  return firstProblem(items.entries(), ([index, item]) => explain(schema, item, `${path}[${index}]`));
}

function explainMembers(schema: Members, value: Members, path: string): string | undefined {
  const missing = requiredNames(schema).find(
    (name) => !Object.hasOwn(value, name) || value[name] === undefined,
  );
  if (missing !== undefined) return `${subjectOf(memberPath(path, missing))} is missing`;
  return firstProblem(Object.keys(value), (name) => {
    if (value[name] === undefined) return undefined;
    const inner = memberSchema(schema, name);
    if (inner !== false) return explain(inner, value[name], memberPath(path, name));
    return unknownMember(schema, memberPath(path, name));
  });
}

/** The message for a member that an object schema does not allow. */
export function unknownMember({ properties }: Members, path: string): string {
  const known = isRecord(properties) ? Object.keys(properties) : [];
  return `${subjectOf(path)} is not known; known: ${list(known)}`;
}

export function firstProblem<Item>(
  items: Iterable<Item>,
  find: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const PHRASES: { readonly [type: string]: string } = {
  object: "an object",
  array: "an array",
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
};

function hasType(type: string, value: unknown): boolean {
  switch (type) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "number":
      return Number.isFinite(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/** True for any object or list if `enum` has one: comparing them is left to a validator. */
function isListed(allowed: readonly unknown[], value: unknown): boolean {
  const isContainer = (item: unknown): boolean => isRecord(item) || Array.isArray(item);
  return isContainer(value) ? allowed.some(isContainer) : allowed.includes(value);
}

const atLeast = (size: number, limit: number): boolean => size >= limit;
const atMost = (size: number, limit: number): boolean => size <= limit;

/** A keyword, what it measures, when it holds, and the phrase for a value that violates it. */
const LIMITS = [
  ["minimum", sizeOfNumber, atLeast, (limit: number) => `be at least ${limit}`],
  ["maximum", sizeOfNumber, atMost, (limit: number) => `be at most ${limit}`],
  ["minLength", sizeOfText, atLeast, (limit: number) => `have at least ${limit} characters`],
  ["maxLength", sizeOfText, atMost, (limit: number) => `have at most ${limit} characters`],
  ["minItems", sizeOfList, atLeast, (limit: number) => `have at least ${limit} items`],
  ["maxItems", sizeOfList, atMost, (limit: number) => `have at most ${limit} items`],
] as const;

function missedLimit(schema: Members, value: unknown): string | undefined {
  return firstProblem(LIMITS, ([keyword, sizeOf, holds, phrase]) => {
    const limit = schema[keyword];
    const size = typeof limit === "number" ? sizeOf(value) : undefined;
    if (typeof limit !== "number" || size === undefined || holds(size, limit)) return undefined;
    return keyword === "minLength" && size === 0 ? "not be empty" : `${phrase(limit)}, got ${size}`;
  });
}

function sizeOfNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** JSON Schema counts characters, not UTF-16 units. */
function sizeOfText(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  return value.length - (value.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

function sizeOfList(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

function show(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  switch (typeof value) {
    case "string":
      return JSON.stringify(shortened(value));
    case "object":
      return value === null ? "null" : "an object";
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    default:
      return `a value of type ${typeof value}`;
  }
}

function list(names: readonly string[]): string {
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `${names.slice(0, MAX_NAMES).join(", ") || "none"}${rest}`;
}

export function subjectOf(path: string): string {
  return path === "" ? "the arguments" : JSON.stringify(shortened(path));
}

export function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

export function memberPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
