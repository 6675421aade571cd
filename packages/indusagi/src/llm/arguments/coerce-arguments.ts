import { isRecord } from "../../core/internal.ts";
import type { JsonSchema } from "../contract/index.ts";
import type { Members } from "../members.ts";
import { acceptedTypes, itemSchema, memberSchema, requiredNames, typeOf } from "./schema-parts.ts";

/**
 * Repairs common mistakes in arguments that a model or a person wrote: objects and lists sent as JSON text, `"5"` and
 * `"true"` where the schema takes no text, null for an optional member, null for no arguments at all. What fits is
 * returned as it is; what cannot be repaired stays, for `explainMismatch` to report. The input is not changed.
 *
 * Not for tools of MCP servers: their arguments are passed on untouched.
 */
export function coerceArguments(schema: JsonSchema, input: unknown): unknown {
  // Arguments are an object, even if the schema does not say so.
  return coerce({ type: "object", ...schema }, input ?? {});
}

function coerce(schema: unknown, value: unknown): unknown {
  const typed = typeof value === "string" ? parseText(value, acceptedTypes(schema)) : value;
  if (!isRecord(schema) || schema["$ref"] !== undefined) return typed;
  if (Array.isArray(typed)) return coerceItems(itemSchema(schema), typed);
  return isRecord(typed) ? coerceMembers(schema, typed) : typed;
}

function coerceItems(items: unknown, list: readonly unknown[]): readonly unknown[] {
  const coerced = list.map((item) => coerce(items, item));
  return coerced.every((item, index) => Object.is(item, list[index])) ? list : coerced;
}

function coerceMembers(schema: Members, value: Members): Members {
  const required = requiredNames(schema);
  const before = Object.entries(value);
  const after = before
    .filter(([name, member]) => required.includes(name) || !isAbsent(memberSchema(schema, name), member))
    .map(([name, member]) => [name, coerce(memberSchema(schema, name), member)] as const);
  const isSame =
    after.length === before.length &&
    after.every(([, member], index) => Object.is(member, before[index]?.[1]));
  return isSame ? value : Object.fromEntries(after);
}

/** Models send null for an optional member that they do not want to set. */
function isAbsent(schema: unknown, member: unknown): boolean {
  return member === undefined || (member === null && acceptedTypes(schema)?.has("null") === false);
}

/** The value that a text represents, if the schema takes no text and accepts that value's type. */
function parseText(text: string, accepted: ReadonlySet<string> | undefined): unknown {
  if (accepted === undefined || accepted.has("string")) return text;
  const value = valueOf(text.trim());
  return accepted.has(typeOf(value)) ? value : text;
}

function valueOf(text: string): unknown {
  const number = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(number)) return number;
  if (/^(true|false|null)$/i.test(text)) return JSON.parse(text.toLowerCase());
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
