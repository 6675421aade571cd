import { isRecord } from "../../core/internal.ts";
import type { JsonSchema } from "../contract/index.ts";
import type { Members } from "../members.ts";

/**
 * The JSON types a schema accepts (`integer` counts as `number`), or nothing when it does not restrict them.
 * Never fewer than it really accepts.
 */
export function acceptedTypes(schema: unknown): ReadonlySet<string> | undefined {
  // Some drafts ignore everything next to a reference.
  if (!isRecord(schema) || schema["$ref"] !== undefined) return undefined;
  const types = typesIn(schema);
  if (types.length > 0) return new Set(types.map((type) => (type === "integer" ? "number" : type)));
  if (Array.isArray(schema["enum"])) return new Set(schema["enum"].map(typeOf));
  const branches = [schema["anyOf"] ?? schema["oneOf"] ?? []].flat().map(acceptedTypes);
  if (branches.length === 0 || branches.includes(undefined)) return undefined;
  return new Set(branches.flatMap((branch) => [...(branch ?? [])]));
}

/** The `type` keyword as a list; empty when it is absent. */
export function typesIn(schema: Members): string[] {
  return [schema["type"]].flat().filter((type) => typeof type === "string");
}

/** The schema of a member, or nothing when the object schema does not describe it. */
export function memberSchema(schema: Members, name: string): unknown {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, name)) return properties[name];
  return patternProperties === undefined ? additionalProperties : undefined;
}

/** The schema of every item of a list, or nothing when the items have no common one. */
export function itemSchema({ items, prefixItems }: Members): unknown {
  return prefixItems === undefined && isRecord(items) ? items : undefined;
}

export function requiredNames({ required }: Members): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** The target of a `$ref`: a value in the same document, another document, or nothing. */
export type RefTarget = { readonly value: unknown } | "remote" | "unresolved";

/** Resolves a `$ref` inside its own document. Never fetches anything. */
export function resolvePointer(root: JsonSchema, ref: string): RefTarget {
  if (ref !== "" && !ref.startsWith("#")) return "remote";
  const pointer = decodeFragment(ref.slice(1));
  if (pointer === undefined || (pointer !== "" && !pointer.startsWith("/"))) return "unresolved";
  let value: unknown = root;
  for (const token of pointer.split("/").slice(1)) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!(isRecord(value) || Array.isArray(value)) || !Object.hasOwn(value, name)) return "unresolved";
    value = (value as { readonly [name: string]: unknown })[name];
  }
  return { value };
}

/** Builds a JSON pointer from its tokens. */
export function pointerTo(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** A name for a reference's target in text for a model: the last token of its pointer. */
export function refName(ref: string): string {
  const last = (decodeFragment(ref) ?? ref).split("/").at(-1) ?? "";
  return last === "" || last === "#" ? "the root" : last;
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
