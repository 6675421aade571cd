import { isRecord } from "../../core/internal.ts";
import type { JsonSchema } from "../contract/index.ts";

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
