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
    return write(value, new Set());
  } catch (cause) {
    // Also reached by a value nested too deeply for the stack: a RangeError, equally unfit to be hashed.
    throw new CoreError("not_json", `value has no canonical JSON: ${describeError(cause)}`, { cause });
  }
}

function write(given: unknown, within: Set<object>): string {
  const value = hasToJson(given) ? given.toJSON("") : given;
  if (typeof value !== "object" || value === null) return writePlain(value);
  if (within.has(value)) throw new TypeError("it contains itself");
  within.add(value);
  const text = Array.isArray(value)
    ? `[${value.map((item) => write(item, within)).join(",")}]`
    : `{${Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, member]) => `${JSON.stringify(key)}:${write(member, within)}`)
        .join(",")}}`;
  within.delete(value);
  return text;
}

function writePlain(value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`it has the number ${value}`);
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`it has a value of type ${typeof value}`);
  return text;
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return (
    typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function"
  );
}
