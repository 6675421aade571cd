export interface BackoffOptions {
  /** The first delay. Default 250 ms. */
  readonly baseMs?: number;
  /** The longest delay. Default 30 s. */
  readonly maxMs?: number;
  /** The share of each delay that is random, 0 to 1. Default 0.5, so many clients do not retry in step. */
  readonly jitter?: number;
  /** Returns a number in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * The time to wait before retry number `attempt`, counted from 0. It doubles from `baseMs` up to `maxMs`; jitter then
 * shortens it by a random share of at most `jitter`.
 */
export function backoffMs(attempt: number, options: BackoffOptions = {}): number {
  const { baseMs = 250, maxMs = 30_000, jitter = 0.5, random = Math.random } = options;
  // The exponent is capped because 2 ** 1024 is Infinity, and Infinity * 0 is NaN.
  const whole = Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(0, attempt), 52));
  return whole * (1 - jitter * random());
}
