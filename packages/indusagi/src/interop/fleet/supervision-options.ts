import { type Clock, systemClock } from "../../core/index.ts";

/** When a server that fails again and again is left alone. */
export interface BreakerOptions {
  /** So many failures open the breaker. Default 5. */
  readonly failures?: number;
  /** Failures longer ago than this no longer count, if a start has succeeded since. Default 60 s. */
  readonly withinMs?: number;
  /** One try in this time while the breaker is open. Default 30 s. */
  readonly retryMs?: number;
}

/** How the fleet looks after its servers. Every time can be set. */
export interface SupervisionOptions {
  /** Before the first restart; doubled for each failure after it. Default 250 ms. */
  readonly firstDelayMs?: number;
  /** No delay is longer. Default 30 s. */
  readonly maxDelayMs?: number;
  /** The share of each delay that is random, 0 to 1. Default 0.5. */
  readonly jitter?: number;
  readonly breaker?: BreakerOptions;
  /** Stop a server nobody has used for this long; the next call starts it. Default never. */
  readonly idleMs?: number;
  /** Start no server before it is asked for. Default false. */
  readonly lazy?: boolean;
  /** Ask a server that nobody has used for this long whether it is still there. Default never. */
  readonly checkMs?: number;
  /** How long it may take to answer that. Default 10 s. */
  readonly checkTimeoutMs?: number;
  /** How long `acquire` waits for a server to be there, or until its signal aborts if that is sooner. Default 30 s. */
  readonly acquireMs?: number;
  /** How long calls under way are waited for before a reload ends their server. Default 10 s. */
  readonly drainMs?: number;
  readonly clock?: Clock;
  /** Numbers in [0, 1), for the jitter. */
  readonly random?: () => number;
}

/** The same with nothing left open. `restarts` is false where supervision was switched off. */
export interface Supervision
  extends Required<Omit<SupervisionOptions, "breaker" | "idleMs" | "checkMs" | "random">> {
  readonly restarts: boolean;
  readonly breaker: Required<BreakerOptions>;
  readonly idleMs: number | undefined;
  readonly checkMs: number | undefined;
  readonly random: () => number;
}

export function resolveSupervision(given: SupervisionOptions | false = {}): Supervision {
  const options = given === false ? {} : given;
  const { breaker = {} } = options;
  return {
    restarts: given !== false,
    firstDelayMs: options.firstDelayMs ?? 250,
    maxDelayMs: options.maxDelayMs ?? 30_000,
    jitter: options.jitter ?? 0.5,
    breaker: {
      failures: breaker.failures ?? 5,
      withinMs: breaker.withinMs ?? 60_000,
      retryMs: breaker.retryMs ?? 30_000,
    },
    idleMs: options.idleMs,
    lazy: options.lazy ?? false,
    checkMs: options.checkMs,
    checkTimeoutMs: options.checkTimeoutMs ?? 10_000,
    acquireMs: options.acquireMs ?? 30_000,
    drainMs: options.drainMs ?? 10_000,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}
