import { type Clock, systemClock } from "./clock.ts";

/** Mints ULIDs: 26 characters of Crockford base 32 that sort in the order they were minted. */
export type UlidMinter = () => string;

export interface UlidMinterOptions {
  readonly clock?: Clock;
  /** Returns a number in [0, 1). Default: the platform's secure source. */
  readonly random?: () => number;
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/** A minter with its own sequence. Ids increase even within one millisecond and when the wall clock steps back. */
export function createUlidMinter(options: UlidMinterOptions = {}): UlidMinter {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? secureRandom;
  let lastMs = -1;
  let noise: number[] = [];
  /** The digits that ids of one millisecond usually share: all but the last two. */
  let start = "";
  return () => {
    const nowMs = clock.nowMs();
    if (nowMs > lastMs) {
      lastMs = nowMs;
      noise = Array.from({ length: RANDOM_DIGITS }, () => Math.floor(random() * ALPHABET.length));
      start = "";
    } else if (!increment(noise)) {
      // 2^80 ids in one millisecond cannot happen, but a `random` that always returns almost 1 can.
      lastMs += 1;
      start = "";
    }
    const last = noise[RANDOM_DIGITS - 1] ?? 0;
    const second = noise[RANDOM_DIGITS - 2] ?? 0;
    if (start === "" || (last === 0 && second === 0)) start = timeDigits(lastMs) + textOf(noise.slice(0, -2));
    return start + ALPHABET.charAt(second) + ALPHABET.charAt(last);
  };
}

function textOf(digits: readonly number[]): string {
  return digits.map((digit) => ALPHABET.charAt(digit)).join("");
}

/** The process-wide minter: every id it returns is greater than all before it. */
export const mintUlid: UlidMinter = createUlidMinter();

/** The time a ULID was minted, in milliseconds since the epoch. */
export function ulidTime(id: string): number {
  let ms = 0;
  for (const digit of id.slice(0, TIME_DIGITS)) ms = ms * ALPHABET.length + ALPHABET.indexOf(digit);
  return ms;
}

/** Random bytes are fetched in batches: one fetch takes as long as the rest of an id. */
const pool = new Uint8Array(512);
let taken = pool.length;

function secureRandom(): number {
  if (taken === pool.length) {
    crypto.getRandomValues(pool);
    taken = 0;
  }
  const byte = pool[taken] ?? 0;
  taken += 1;
  return byte / 256;
}

/** Adds one to the number with these digits; `false` if it overflowed to zero. */
function increment(digits: number[]): boolean {
  for (let place = digits.length - 1; place >= 0; place -= 1) {
    const next = (digits[place] ?? 0) + 1;
    digits[place] = next % ALPHABET.length;
    if (next < ALPHABET.length) return true;
  }
  return false;
}

function timeDigits(ms: number): string {
  let text = "";
  for (let rest = ms; text.length < TIME_DIGITS; rest = Math.floor(rest / ALPHABET.length))
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
  return text;
}
