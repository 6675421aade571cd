/** The types a schema node may declare. Any other declaration makes the node a closed, empty object. */
export const SCHEMA_TYPES: ReadonlySet<unknown> = new Set([
  "object",
  "array",
  "string",
  "number",
  "integer",
  "boolean",
  "null",
]);

/** Keywords that no provider validates against. They are removed at every level. */
export const STRIPPED_KEYWORDS: ReadonlySet<string> = new Set([
  // Draft plumbing and cross-references.
  "$schema",
  "$id",
  "$ref",
  "$defs",
  "definitions",
  // Annotations a validator ignores.
  "$comment",
  "deprecated",
  "readOnly",
  "writeOnly",
  // Sample data, not constraints.
  "default",
  "examples",
  // Content metadata outside the accepted subset.
  "contentEncoding",
  "contentMediaType",
]);
