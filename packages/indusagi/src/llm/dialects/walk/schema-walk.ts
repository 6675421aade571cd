import { isRecord } from "../../../core/internal.ts";
import { pointerTo } from "../../arguments/schema-parts.ts";
import { type Members, withMembers, withoutMembers } from "../../members.ts";
import { mapChildSchemas } from "../../schema-keywords.ts";
import type { LossReason, SchemaLoss } from "../dialect.ts";
import { SCHEMA_BUDGET } from "./schema-budget.ts";

/** The state of one walk through a schema. */
export interface SchemaWalk {
  readonly losses: SchemaLoss[];
  /** The current position. */
  readonly path: (string | number)[];
  /** `oneOf` lists with a branch that became looser: "exactly one" may no longer hold for them. */
  readonly loosened: Set<unknown>;
  /** The number of losses, including those not listed. */
  lossCount: number;
  /** A lower bound of the number of schemas written. */
  nodes: number;
}

/** Listing every loss of a hostile schema would cost more than projecting it. */
const MAX_LISTED_LOSSES = 1_000;

/** Records a loss at the current position. */
export function recordLoss(walk: SchemaWalk, keyword: string, why: LossReason): void {
  walk.lossCount++;
  if (walk.losses.length < MAX_LISTED_LOSSES) walk.losses.push({ at: pointerTo(walk.path), keyword, why });
}

/** Whether more schemas were written than the budget allows. References can make a small schema expand without limit. */
export function isOverBudget(walk: SchemaWalk): boolean {
  return walk.nodes > SCHEMA_BUDGET.nodes;
}

/** Applies `visit` to each child of a portable schema, at its position. Returns the same object if none changed. */
export function mapSubschemas(
  schema: Members,
  walk: SchemaWalk,
  visit: (schema: Members) => unknown,
): Members {
  return mapChildSchemas(schema, (child, keyword, key) => {
    if (!isRecord(child)) return child;
    walk.path.push(keyword);
    if (key !== undefined) walk.path.push(key);
    const result = visit(child);
    walk.path.pop();
    if (key !== undefined) walk.path.pop();
    return result;
  });
}

/** Runs `visit` with the position one level deeper. */
export function descend<Result>(walk: SchemaWalk, key: string | number, visit: () => Result): Result {
  walk.path.push(key);
  const result = visit();
  walk.path.pop();
  return result;
}

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
