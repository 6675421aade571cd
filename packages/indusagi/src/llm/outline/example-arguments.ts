import { createBoundedPatterns, isRecord, loadLinearRegex, type MatchPattern } from "../../core/internal.ts";
import { explainMismatch, explainPatternMismatch } from "../arguments/index.ts";
import { itemSchema, memberSchema, requiredNames, typesIn } from "../arguments/schema-parts.ts";
import type { JsonObject, JsonSchema, JsonValue } from "../contract/index.ts";
import type { Members } from "../members.ts";

/** A schema that requires deeper nesting has no example. */
const MAX_DEPTH = 8;
/** A schema that requires more items has no example. */
const MAX_ITEMS = 20;

/**
 * Arguments that fit a schema: its required members with the example, default or first value that the schema names, else
 * a value made from the type. Undefined if none of the values tried fits.
 */
export async function exampleArguments(parameters: JsonSchema): Promise<JsonObject | undefined> {
  if (needsMore(parameters)) return undefined;
  const matches = hasPattern(parameters) ? await loadMatcher() : undefined;
  const example = exampleMembers(parameters, { name: "", depth: 0, matches });
  return fits(parameters, example, matches) ? example : undefined;
}

/** The root requires one of several sets of members; `required` alone does not say which. */
function needsMore({ anyOf, oneOf, allOf, $ref }: JsonSchema): boolean {
  return [anyOf, oneOf, allOf, $ref].some((keyword) => keyword !== undefined);
}

function hasPattern(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes('"pattern');
}

/** The engine is large, and few schemas need it. */
async function loadMatcher(): Promise<MatchPattern> {
  return createBoundedPatterns(await loadLinearRegex()).startCheck();
}

/** Where a value belongs. */
interface Place {
  readonly name: string;
  readonly depth: number;
  readonly matches: MatchPattern | undefined;
}

function exampleMembers(schema: Members, { depth, matches }: Place): JsonObject | undefined {
  const members = requiredNames(schema).map(
    (name) => [name, exampleValue(memberSchema(schema, name), { name, depth: depth + 1, matches })] as const,
  );
  return members.every(hasValue) ? Object.fromEntries(members) : undefined;
}

function hasValue(member: readonly [string, JsonValue | undefined]): member is readonly [string, JsonValue] {
  return member[1] !== undefined;
}

/** The first of the values to try that fits. */
function exampleValue(schema: unknown, place: Place): JsonValue | undefined {
  if (place.depth > MAX_DEPTH) return undefined;
  if (!isRecord(schema)) return schema === false ? undefined : exampleTexts({}, place.name)[0];
  const inside = { ...place, depth: place.depth + 1 };
  const values = [
    ...namedValues(schema),
    ...branchesOf(schema).map((branch) => exampleValue(branch, inside)),
    ...valuesOfType(schema, inside),
  ];
  return values.find((value) => value !== undefined && fits(schema, value, place.matches));
}

function fits(schema: Members, value: unknown, matches: MatchPattern | undefined): boolean {
  if (value === undefined || explainMismatch(schema, value) !== undefined) return false;
  return matches === undefined || explainPatternMismatch(schema, value, matches) === undefined;
}

/** The values that a schema itself names, the most useful first. */
function namedValues(schema: Members): readonly JsonValue[] {
  const { examples, default: standard, const: only, enum: allowed } = schema;
  // A schema is JSON, so its values are too.
  return [only, ...listOf(examples), standard, ...listOf(allowed)] as readonly JsonValue[];
}

/** The branches of a union, those without a value last. */
function branchesOf({ anyOf, oneOf, allOf }: Members): readonly unknown[] {
  const branches = [...listOf(anyOf), ...listOf(oneOf), ...listOf(allOf)];
  const isNull = (branch: unknown): boolean => isRecord(branch) && branch["type"] === "null";
  return [...branches.filter((branch) => !isNull(branch)), ...branches.filter(isNull)];
}

function valuesOfType(schema: Members, place: Place): readonly (JsonValue | undefined)[] {
  if (UNIONS.some((keyword) => schema[keyword] !== undefined)) return [];
  switch (typesIn(schema).find((each) => each !== "null") ?? typesIn(schema)[0]) {
    case "number":
    case "integer":
      return [exampleNumber(schema)];
    case "boolean":
      return [true, false];
    case "null":
      return [null];
    case "array":
      return [exampleList(schema, place)];
    case "object":
      return [exampleMembers(schema, place)];
    default:
      return isRecord(schema["properties"])
        ? [exampleMembers(schema, place)]
        : exampleTexts(schema, place.name);
  }
}

/** Only the branches of such a schema say what it accepts. */
const UNIONS = ["anyOf", "oneOf", "allOf", "$ref", "const", "enum"];

function exampleList(schema: Members, place: Place): JsonValue | undefined {
  const { minItems, maxItems, prefixItems } = schema;
  if (Array.isArray(prefixItems)) {
    const items = prefixItems.map((item) => exampleValue(item, place));
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  const least = Math.max(1, typeof minItems === "number" ? minItems : 1);
  const count = typeof maxItems === "number" ? Math.min(least, Math.max(0, maxItems)) : least;
  const item = count > 0 && count <= MAX_ITEMS ? exampleValue(itemSchema(schema), place) : undefined;
  if (item !== undefined) return Array.from({ length: count }, () => item);
  return [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value for each format that a string may have. */
const FORMATS: { readonly [format: string]: string } = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  duration: "PT1H",
  email: "someone@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "3f1c2b9a-5d4e-4f60-8a7b-9c0d1e2f3a4b",
};

/** What a name suggests where the schema says only `string`. The first match wins. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/ur[il]$|link$|href$/i, "https://example.com/"],
  [/e-?mail$/i, "someone@example.com"],
  [/path$|file$|folder$|dir$|directory$|cwd$/i, "."],
  [/time_?zone$|tz$/i, "Europe/Berlin"],
  [/^date$|_date$|Date$/, "2026-01-31"],
];

/** Texts of the usual patterns. */
const SHAPES = [
  "a",
  "A",
  "1",
  "abc123",
  "ABC",
  "12:00",
  "/",
  "1.0.0",
  "a.b",
  "#000000",
  "en",
  "en-US",
  "0x1",
];

const MAX_CHARS = 200;

/** Texts within the limits of a schema to try: by its format, by its name, `text`, and for a pattern some more. */
function exampleTexts(schema: Members, name: string): readonly string[] {
  const { format, pattern } = schema;
  const byFormat = typeof format === "string" ? FORMATS[format] : undefined;
  const byName = NAMES.find(([suffix]) => suffix.test(name))?.[1];
  const more = pattern === undefined ? [] : [...Object.values(FORMATS), ...SHAPES];
  return [byFormat, byName, "text", ...more].flatMap((text) =>
    text === undefined ? [] : [withinLimits(text, schema)],
  );
}

function withinLimits(text: string, { minLength, maxLength }: Members): string {
  const least = typeof minLength === "number" ? Math.min(minLength, MAX_CHARS) : 0;
  const long = text.length < least ? text.padEnd(least, text) : text;
  return typeof maxLength === "number" ? long.slice(0, Math.max(0, maxLength)) : long;
}

/** A number within the limits of a schema, near 1. */
function exampleNumber(schema: Members): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === "number" && multipleOf > 0 ? multipleOf : 1;
  // Before draft 6 the exclusive limit is `true`, next to the limit itself.
  const least = numberOf(exclusiveMinimum, step) ?? numberOf(minimum) ?? -Infinity;
  const most = numberOf(exclusiveMaximum, -step) ?? numberOf(maximum) ?? Infinity;
  const wanted = Math.min(Math.max(1, least), most);
  const stepped = Math.ceil(wanted / step) * step;
  return stepped <= most ? stepped : wanted;
}

function numberOf(value: unknown, shift = 0): number | undefined {
  return typeof value === "number" ? value + shift : undefined;
}
