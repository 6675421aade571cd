import type { JsonSchema } from "../../../llm/index.ts";

/** References can apply a small schema 2^n times to one value. A step takes a few microseconds. */
const MAX_STEPS = 200_000;

export interface LimitedSchema {
  readonly schema: JsonSchema;
  /** Call it before each check. */
  readonly restart: () => void;
}

/**
 * Makes a validator throw when it applies more schemas in one check than allowed. A validator reads the `type` of each
 * schema that it applies, so that is where the steps are counted. Changes the given schema, which must be plain JSON.
 */
export function withStepLimit(schema: JsonSchema): LimitedSchema {
  let stepsLeft = MAX_STEPS;
  const count = (): void => {
    stepsLeft -= 1;
    if (stepsLeft < 0) throw new RangeError("the check takes too many steps");
  };
  countReads(schema, count);
  return { schema, restart: () => void (stepsLeft = MAX_STEPS) };
}

function countReads(value: unknown, count: () => void): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) countReads(inner, count);
  if (Array.isArray(value)) return;
  const type: unknown = Object.hasOwn(value, "type")
    ? (value as { readonly type?: unknown }).type
    : undefined;
  Object.defineProperty(value, "type", {
    enumerable: Object.hasOwn(value, "type"),
    get: () => {
      count();
      return type;
    },
  });
}
