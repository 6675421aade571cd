import { CoreError } from "./core-error.ts";
import { describeError } from "./describe-error.ts";

/**
 * JSON text that depends on the value alone: keys in code-unit order, no white space.
 *
 * Members that are `undefined` are absent, as in `JSON.stringify`. Anything JSON cannot hold (cycles, BigInt,
 * functions, `NaN`, a bare `undefined`) is refused with a `CoreError` of kind `not_json`, because two different
 * values must never share a text (and so a hash).
 */
export function canonicalJson(value: unknown): string {
  try {
    return write(value);
  } catch (cause) {
    // A cycle has no end and so runs out of stack, as does a value nested too deeply: both are unfit to be hashed.
    const why =
      cause instanceof RangeError ? "it contains itself or is nested too deeply" : describeError(cause);
    throw new CoreError("not_json", `value has no canonical JSON: ${why}`, { cause });
  }
}

function write(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return writePlain(value);
  if (Array.isArray(value)) return writeArray(value);
  return "toJSON" in value && typeof value.toJSON === "function"
    ? write(value.toJSON(""))
    : writeObject(value as { readonly [key: string]: unknown });
}

function writeArray(items: readonly unknown[]): string {
  let text = "";
  // Not `map`: a hole must be seen, and refused, as the `undefined` it reads as.
  for (const item of items) text += text === "" ? write(item) : `,${write(item)}`;
  return `[${text}]`;
}

function writeObject(members: { readonly [key: string]: unknown }): string {
  let text = "";
  for (const key of sortedKeys(members)) {
    const member = members[key];
    if (member !== undefined) text += `${text === "" ? "" : ","}${quote(key)}:${write(member)}`;
  }
  return `{${text}}`;
}

const FEW = 24;

/** Most objects have few members. Inserting each in its place takes half of what `sort` does for those. */
function sortedKeys(members: object): readonly string[] {
  const keys = Object.keys(members);
  if (keys.length > FEW) return keys.sort();
  for (let at = 1; at < keys.length; at += 1) {
    const key = keys[at] as string;
    let place = at;
    for (; place > 0 && (keys[place - 1] as string) > key; place -= 1)
      keys[place] = keys[place - 1] as string;
    keys[place] = key;
  }
  return keys;
}

// What JSON writes as it is: no quote, backslash, control character or half of a surrogate pair.
const NOT_PLAIN = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

function quote(text: string): string {
  return text.length < 1000 && !NOT_PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function writePlain(value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`it has the number ${value}`);
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`it has a value of type ${typeof value}`);
  return text;
}
