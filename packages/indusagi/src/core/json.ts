import { CoreError, describeError } from "./core-error.ts";

/**
 * JSON text that depends on the value alone: keys in code-unit order, no white space.
 *
 * Members that are `undefined` are left out, as in `JSON.stringify`. Values that JSON cannot represent (cycles, BigInt,
 * functions, `NaN`, a bare `undefined`) are refused with a `CoreError` of kind `not_json`, because two different
 * values must never have the same text and so the same hash.
 */
export function canonicalJson(value: unknown): string {
  try {
    return write(value);
  } catch (cause) {
    // A cycle overflows the stack, as does a value that is nested too deeply.
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
  // Not `map`, which skips holes: a hole reads as `undefined` and must be refused.
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

/** Insertion sort takes half the time of `sort` for few keys, and most objects have few. */
function sortedKeys(members: object): readonly string[] {
  const keys = Object.keys(members);
  if (keys.length > FEW) return keys.sort();
  for (let at = 1; at < keys.length; at += 1) {
    const key = keys[at] as string;
    let index = at;
    for (; index > 0 && (keys[index - 1] as string) > key; index -= 1)
      keys[index] = keys[index - 1] as string;
    keys[index] = key;
  }
  return keys;
}

// Matches what JSON escapes: quotes, backslashes, control characters and lone surrogates.
const NOT_PLAIN = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

function quote(text: string): string {
  return text.length < 1000 && !NOT_PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function writePlain(value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError(`it contains the number ${value}`);
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`it contains a value of type ${typeof value}`);
  return text;
}

/** Whether two JSON values are equal; the order of members does not matter. Recursive: a value may be too deep for the stack. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  return !Array.isArray(b) && sameMembers(a as Members, b as Members);
}

type Members = { readonly [name: string]: unknown };

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (!sameJson(a[at], b[at])) return false;
  return true;
}

function sameMembers(a: Members, b: Members): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) if (!Object.hasOwn(b, name) || !sameJson(a[name], b[name])) return false;
  return true;
}

/** Whether a value is an object with members: neither `null` nor an array. */
export function isRecord(value: unknown): value is { [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
