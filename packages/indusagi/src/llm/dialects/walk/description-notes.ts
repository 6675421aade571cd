import type { Members } from "../../members.ts";
import { withMembers, withoutMembers } from "../../members.ts";
import { recordLoss, type SchemaWalk } from "./schema-walk.ts";

/** A longer note would not help a model. */
const MAX_NOTE_LENGTH = 240;

/** A copy of `schema` with a note in brackets at the end of its description. */
export function appendNote(schema: Members, note: string): Members {
  const before = schema["description"];
  const description = typeof before === "string" && before !== "" ? `${before} (${note})` : `(${note})`;
  return withMembers(schema, { description });
}

/** A keyword and its value as a note, such as `minimum: 1`, or `undefined` if that is too long. */
export function keywordNote(keyword: string, value: unknown): string | undefined {
  // Checked before serialising: references may repeat one long text in a thousand places.
  if (typeof value === "string" && value.length > MAX_NOTE_LENGTH) return undefined;
  const text = jsonText(value);
  if (text === undefined || text.length > MAX_NOTE_LENGTH) return undefined;
  return `${keyword}: ${text}`;
}

/** Moves a keyword that a provider rejects into the description; drops it if the note would be too long. */
export function moveToDescription(schema: Members, keyword: string, walk: SchemaWalk): Members {
  if (!Object.hasOwn(schema, keyword)) return schema;
  const note = keywordNote(keyword, schema[keyword]);
  recordLoss(walk, keyword, note === undefined ? "dropped" : "moved");
  const rest = withoutMembers(schema, keyword);
  return note === undefined ? rest : appendNote(rest, note);
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
