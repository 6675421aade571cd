import type { LossReason, SchemaLoss } from "../dialect.ts";
import { pointerTo } from "./resolve-pointer.ts";
import { SCHEMA_BUDGET } from "./schema-budget.ts";

/** The state of one walk through a schema. */
export interface SchemaWalk {
  readonly losses: SchemaLoss[];
  /** Where the walk stands. */
  readonly path: (string | number)[];
  /** The `oneOf` lists of which a branch was loosened: "exactly one" no longer holds of them. */
  readonly loosened: Set<unknown>;
  /** How many things were given up, those that are no longer listed included. */
  given: number;
  /** How many schemas were written, at the least. */
  nodes: number;
}

/** More losses than anyone reads. Listing every one of a hostile schema would cost more than projecting it. */
const MAX_LISTED = 1_000;

/** Notes what was given up at the place where the walk stands. */
export function giveUp(walk: SchemaWalk, keyword: string, why: LossReason): void {
  walk.given++;
  if (walk.losses.length < MAX_LISTED) walk.losses.push({ at: pointerTo(walk.path), keyword, why });
}

/** Whether the walk has written more than a schema may hold. References can multiply a small schema beyond any memory. */
export function isOverrun(walk: SchemaWalk): boolean {
  return walk.nodes > SCHEMA_BUDGET.nodes;
}

/** Does `step` one place further down. */
export function inside<Result>(walk: SchemaWalk, place: string | number, step: () => Result): Result {
  walk.path.push(place);
  const result = step();
  walk.path.pop();
  return result;
}
