export { coerceArguments } from "./coerce-arguments.ts";
export { explainMismatch } from "./explain-mismatch.ts";
export { explainPatternMismatch } from "./explain-pattern.ts";
export { acceptedTypes } from "./schema-parts.ts";
