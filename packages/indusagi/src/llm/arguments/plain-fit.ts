import { isRecord } from "../../core/internal.ts";
import type { JsonSchema } from "../contract/index.ts";
import type { Members } from "../members.ts";
import { requiredNames, typeOf } from "./schema-parts.ts";

/** Whether arguments certainly fit a schema. False means that a full check must decide. */
export type PlainFit = (input: unknown) => boolean;

/** The keywords of a plain member. All except `type` are annotations. */
const MEMBER_KEYWORDS = new Set(["type", "description", "title", "default", "examples"]);
const ROOT_KEYWORDS = new Set([
  "$schema",
  "type",
  "description",
  "title",
  "properties",
  "required",
  "additionalProperties",
]);
const PLAIN_TYPES = new Set(["string", "number", "boolean"]);

/**
 * A fast check for the common schema: an object whose members are strings, numbers and booleans without further rules.
 * Most calls fit such a schema, and the full check takes longer than many tools run. `undefined` for any other schema.
 */
export function plainFitOf(schema: JsonSchema): PlainFit | undefined {
  const { type, properties = {} } = schema;
  if (type !== "object" || !isRecord(properties) || !hasOnly(schema, ROOT_KEYWORDS)) return undefined;
  const types = new Map<string, string>();
  for (const [name, member] of Object.entries(properties)) {
    const plain = plainType(member);
    if (plain === undefined) return undefined;
    types.set(name, plain);
  }
  const required = requiredNames(schema);
  return (input) => {
    if (!isRecord(input)) return false;
    for (const name in input) if (typeOf(input[name]) !== types.get(name)) return false;
    return required.every((name) => Object.hasOwn(input, name));
  };
}

function plainType(member: unknown): string | undefined {
  if (!isRecord(member) || !hasOnly(member, MEMBER_KEYWORDS)) return undefined;
  const { type } = member;
  return typeof type === "string" && PLAIN_TYPES.has(type) ? type : undefined;
}

function hasOnly(schema: Members, keywords: ReadonlySet<string>): boolean {
  return Object.keys(schema).every((keyword) => keywords.has(keyword));
}
