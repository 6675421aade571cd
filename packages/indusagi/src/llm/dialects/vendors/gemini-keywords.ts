/** The types whose values a keyword says something about; a keyword not listed here speaks about all. */
export const SPEAKS_OF: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    object: [
      "additionalProperties",
      "dependencies",
      "dependentRequired",
      "dependentSchemas",
      "maxProperties",
      "minProperties",
      "patternProperties",
      "properties",
      "propertyNames",
      "propertyOrdering",
      "required",
      "unevaluatedProperties",
    ],
    array: [
      "additionalItems",
      "contains",
      "items",
      "maxContains",
      "maxItems",
      "minContains",
      "minItems",
      "prefixItems",
      "unevaluatedItems",
      "uniqueItems",
    ],
    string: ["contentEncoding", "contentMediaType", "contentSchema", "maxLength", "minLength", "pattern"],
    number: ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"],
  }).flatMap(([type, keywords]) => {
    const types = new Set(type === "number" ? ["number", "integer"] : [type]);
    return keywords.map((keyword) => [keyword, types] as const);
  }),
);

/** The keywords that a function's `parameters` take as they are. Others are taken after a look at their value. */
export const TAKEN: ReadonlySet<string> = new Set([
  "description",
  "example",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "pattern",
  "title",
  "type",
]);

/** The formats that are taken, by type. Any other refuses the whole request. */
export const FORMATS: ReadonlyMap<string, ReadonlySet<unknown>> = new Map([
  ["string", new Set(["date-time", "enum"])],
  ["number", new Set(["double", "float"])],
  ["integer", new Set(["int32", "int64"])],
]);

/** Keywords that can be said in words. Others are neither taken nor of use to a model. */
export const SAYABLE: ReadonlySet<string> = new Set([
  "additionalProperties",
  "const",
  "contains",
  "contentEncoding",
  "contentMediaType",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "deprecated",
  "else",
  "enum",
  "examples",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "if",
  "maxContains",
  "minContains",
  "multipleOf",
  "not",
  "oneOf",
  "patternProperties",
  "propertyNames",
  "then",
  "uniqueItems",
]);
