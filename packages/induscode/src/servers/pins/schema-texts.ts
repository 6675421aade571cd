import { isRecord } from "indusagi/core";

/** Replaces a text of a schema. `undefined` removes it. */
type ReplaceText = (path: string, text: unknown) => unknown;

/** Members of a schema that only explain it. */
const TEXTS = new Set([
  "title",
  "description",
  "markdownDescription",
  "$comment",
  "examples",
  "default",
  "enumDescriptions",
]);
// The framework does not export its table of keywords; a test compares these two sets with it.
/** Members whose values map names to schemas: a property may be called "description". */
const NAMED = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
]);
/** Members whose values are a schema or a list of schemas. */
const NESTED = new Set([
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "contentSchema",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
]);

/** Deeper parts count as data. Schemas of usable tools are not nested that deeply. */
const MAX_DEPTH = 200;

export interface SchemaVisit {
  readonly text: ReplaceText;
  /** Called for each schema object, the root first. */
  readonly schema?: (path: string, schema: SchemaObject) => void;
}

export interface SchemaObject {
  readonly [member: string]: unknown;
}

/** A copy of a schema with its texts replaced. A value that is not a schema stays. */
export function replaceTexts(schema: unknown, visit: SchemaVisit, path = "", depth = 0): unknown {
  if (depth > MAX_DEPTH) return schema;
  if (Array.isArray(schema))
    return schema.map((item, at) => replaceTexts(item, visit, `${path}/${at}`, depth + 1));
  if (!isRecord(schema)) return schema;
  visit.schema?.(path, schema);
  const members = Object.entries(schema).map(([name, value]) => {
    const place = `${path}/${escaped(name)}`;
    if (TEXTS.has(name)) return [name, visit.text(place, value)] as const;
    if (NESTED.has(name)) return [name, replaceTexts(value, visit, place, depth + 1)] as const;
    if (!NAMED.has(name) || !isRecord(value)) return [name, value] as const;
    const named = Object.entries(value).map(
      ([key, each]) => [key, replaceTexts(each, visit, `${place}/${escaped(key)}`, depth + 1)] as const,
    );
    return [name, Object.fromEntries(named)] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** As in a JSON pointer. */
function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
