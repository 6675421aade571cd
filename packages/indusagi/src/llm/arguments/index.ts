export { coerceArguments } from "./coerce-arguments.ts";
export { explainMismatch } from "./explain-mismatch.ts";
export { explainPatternMismatch } from "./explain-pattern.ts";
export { type PlainFit, plainFitOf } from "./plain-fit.ts";
export { acceptedTypes, resolvePointer } from "./schema-parts.ts";
