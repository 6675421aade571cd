import { configure } from "safe-stable-stringify";
import { CoreError } from "./core-error.ts";
import { describeError } from "./describe-error.ts";

// strict: a value that JSON cannot hold is refused instead of being written as something else,
// because two different values must never share a text (and so a hash).
const stringify = configure({ deterministic: true, strict: true, circularValue: Error });

/**
 * JSON text that depends on the value alone: keys in code-unit order, no white space.
 *
 * Members that are `undefined` are absent, as in `JSON.stringify`. Anything JSON cannot hold (cycles, BigInt,
 * functions, `NaN`, a bare `undefined`) is refused with a `CoreError` of kind `not_json`.
 */
export function canonicalJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = stringify(value);
  } catch (cause) {
    // Also reached by a value nested too deeply for the stack: a RangeError, equally unfit to be hashed.
    throw new CoreError("not_json", `value has no canonical JSON: ${describeError(cause)}`, { cause });
  }
  if (text === undefined)
    throw new CoreError("not_json", `value has no canonical JSON: it is ${typeof value}`);
  return text;
}
