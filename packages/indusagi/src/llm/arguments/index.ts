export { coerceArguments } from "./coerce-arguments.ts";
export { explainMismatch } from "./explain-mismatch.ts";
export { explainPatternMismatch } from "./explain-pattern.ts";
export { resolvePointer } from "./json-pointer.ts";
export { type PlainFit, plainFitOf } from "./plain-fit.ts";
export { acceptedTypes } from "./schema-parts.ts";
