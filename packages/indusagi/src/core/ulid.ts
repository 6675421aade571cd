import { monotonicFactory, type PRNG } from "ulid";
import { type Clock, systemClock } from "./clock.ts";

/** Mints ULIDs: 26 characters of Crockford base 32 whose text order is the order they were minted in. */
export type UlidMinter = () => string;

export interface UlidMinterOptions {
  readonly clock?: Clock;
  /** Numbers in [0, 1). The default is the platform's secure source. */
  readonly random?: PRNG;
}

/** A minter of its own sequence. Ids increase even within one millisecond and when the wall clock steps back. */
export function createUlidMinter(options: UlidMinterOptions = {}): UlidMinter {
  const clock = options.clock ?? systemClock;
  const mint = monotonicFactory(options.random);
  return () => mint(clock.nowMs());
}

/** The process-wide minter: every id it returns is greater than all before it. */
export const mintUlid: UlidMinter = createUlidMinter();
