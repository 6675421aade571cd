import type { Members } from "../arguments/schema-parts.ts";

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

/** What a name suggests where the schema says only `string`. The first that matches counts. */
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
export function exampleTexts(schema: Members, name: string): readonly string[] {
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
export function exampleNumber(schema: Members): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === "number" && multipleOf > 0 ? multipleOf : 1;
  // Drafts before 6 have `true` as exclusive limit, beside the limit itself.
  const least = numberOf(exclusiveMinimum, step) ?? numberOf(minimum) ?? -Infinity;
  const most = numberOf(exclusiveMaximum, -step) ?? numberOf(maximum) ?? Infinity;
  const wanted = Math.min(Math.max(1, least), most);
  const stepped = Math.ceil(wanted / step) * step;
  return stepped <= most ? stepped : wanted;
}

function numberOf(value: unknown, shift = 0): number | undefined {
  return typeof value === "number" ? value + shift : undefined;
}
