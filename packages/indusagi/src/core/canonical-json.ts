import { createRequire } from "node:module";
import type { configure } from "safe-stable-stringify";
import { CoreError } from "./core-error.ts";
import { describeError } from "./describe-error.ts";

type Stringify = ReturnType<typeof configure>;

let loaded: Stringify | undefined;

/** Loaded when first needed: the library is a CommonJS module, and its loader alone doubles the time our import takes. */
function stringify(value: unknown): string | undefined {
  if (!loaded) {
    const library = createRequire(import.meta.url)("safe-stable-stringify") as {
      readonly configure: typeof configure;
    };
    // strict: a value that JSON cannot hold is refused instead of being written as something else,
    // because two different values must never share a text (and so a hash).
    loaded = library.configure({ deterministic: true, strict: true, circularValue: Error });
  }
  return loaded(value);
}

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
