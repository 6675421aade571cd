import { availableParallelism } from "node:os";
import { settlesWithin } from "../../signals/settles-within.ts";

/** Programs clean up when their input ends. If many did so at once, they would starve this process of CPU. */
export const ENDING_AT_ONCE: number = Math.max(12, 2 * availableParallelism());
/** A program that takes longer than this does not delay the others. */
const TURN_MS = 100;

export interface EndingProgram {
  /** Tells it to end. */
  readonly tell: () => void;
  readonly exited: Promise<unknown>;
  /** How long it may take. */
  readonly graceMs: number;
}

let running = 0;
const waiting: (() => void)[] = [];

/** Tells a program to end when its turn comes. Resolves when it has exited or its time is up. */
export async function endInTurn({ tell, exited, graceMs }: EndingProgram): Promise<void> {
  if (running < ENDING_AT_ONCE) running += 1;
  else await new Promise<void>((resolve) => void waiting.push(resolve));
  tell();
  const turnMs = Math.min(TURN_MS, graceMs);
  const hasEnded = await settlesWithin(exited, turnMs);
  // The turn is handed over directly, so a program that arrives meanwhile cannot take it.
  const next = waiting.shift();
  if (next) next();
  else running -= 1;
  if (!hasEnded) await settlesWithin(exited, graceMs - turnMs);
}
