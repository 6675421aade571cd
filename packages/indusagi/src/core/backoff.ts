export interface BackoffOptions {
  /** The first delay. Default 250 ms. */
  readonly baseMs?: number;
  /** No delay is longer. Default 30 s. */
  readonly maxMs?: number;
  /** The share of each delay that is random, 0 to 1. Default 0.5: enough to keep many clients from marching in step. */
  readonly jitter?: number;
  /** Numbers in [0, 1). */
  readonly random?: () => number;
}

/**
 * How long to wait before retry number `attempt` (the first is 0): doubles from `baseMs` up to `maxMs`,
 * then takes off a random part of at most `jitter`. Never more than the undisturbed delay, never less than `1 - jitter` of it.
 */
export function backoffMs(attempt: number, options: BackoffOptions = {}): number {
  const { baseMs = 250, maxMs = 30_000, jitter = 0.5, random = Math.random } = options;
  // The exponent is capped because 2 ** 1024 is Infinity, and Infinity * 0 is NaN.
  const whole = Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(0, attempt), 52));
  return whole * (1 - jitter * random());
}
