import { isRecord } from "../../../core/internal.ts";
import { pointerTo } from "../../arguments/json-pointer.ts";
import { type Members } from "../../members.ts";
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
