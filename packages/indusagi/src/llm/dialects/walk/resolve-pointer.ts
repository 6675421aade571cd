import type { JsonSchema } from "../../contract/index.ts";
import { isRecord } from "./members.ts";

/** Where a `$ref` leads: to a value of the same document, out of it, or nowhere. */
export type RefTarget = { readonly value: unknown } | "remote" | "unresolved";

/** Follows a `$ref` inside its own document. Nothing is ever fetched. */
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

/** A JSON pointer from its tokens. */
export function pointerTo(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** What to call the target of a reference when talking to a model: the last part of its pointer. */
export function refName(ref: string): string {
  const last = (decodeFragment(ref) ?? ref).split("/").at(-1) ?? "";
  return last === "" || last === "#" ? "the whole" : last;
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
