import { type Clock, settlesWithin } from "../../core/index.ts";
import {
  type AcquireOptions,
  isProtocolFault,
  isUsablePhase,
  type Lease,
  type ServerEndpoint,
  type ServerFleet,
} from "../contract/index.ts";

/** One endpoint and the leases on it, which keep it from being closed during a call. */
export class EndpointLease {
  readonly endpoint: ServerEndpoint;
  readonly #clock: Clock;
  #leases = 0;
  readonly #onFree = new Set<() => void>();
  #usedMs: number;

  constructor(endpoint: ServerEndpoint, clock: Clock) {
    this.endpoint = endpoint;
    this.#clock = clock;
    this.#usedMs = clock.monotonicMs();
  }

  get isInUse(): boolean {
    return this.#leases > 0;
  }

  /** When a lease on it was last granted or released. */
  get usedMs(): number {
    return this.#usedMs;
  }

  /** Restarts the idle time. */
  touch(): void {
    this.#usedMs = this.#clock.monotonicMs();
  }

  grant(): Lease {
    this.#leases += 1;
    this.touch();
    return new GrantedLease(this);
  }

  /** For the leases on it: one of them is released. */
  released(): void {
    this.#leases -= 1;
    this.touch();
    if (this.#leases > 0 || this.#onFree.size === 0) return;
    for (const resolve of this.#onFree) resolve();
    this.#onFree.clear();
  }

  /** Runs work with the endpoint held in use. Resolves even if the work fails. */
  async during(work: (endpoint: ServerEndpoint) => Promise<unknown>): Promise<void> {
    const lease = this.grant();
    try {
      await work(this.endpoint);
    } catch {
      // The work reports its own failures.
    } finally {
      lease.release();
    }
  }

  /** Resolves when the last lease is released, after `withinMs`, or when the signal aborts. Never rejects. */
  async drained(withinMs: number, signal: AbortSignal): Promise<void> {
    if (!this.isInUse || withinMs <= 0) return;
    const free = new Promise<void>((resolve) => this.#onFree.add(resolve));
    await settlesWithin(free, withinMs, { signal, clock: this.#clock });
  }
}

class GrantedLease implements Lease {
  readonly #of: EndpointLease;
  #isReleased = false;

  constructor(of: EndpointLease) {
    this.#of = of;
  }

  get endpoint(): ServerEndpoint {
    return this.#of.endpoint;
  }

  /** Also works without its object, as a function that is passed on. */
  readonly release = (): void => {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#of.released();
  };
}

/**
 * Runs work on a leased endpoint of a server. Work that certainly did not reach the server, because its endpoint ended, is
 * retried once on the next endpoint.
 */
export async function runLeased<Result>(
  fleet: ServerFleet,
  server: string,
  options: AcquireOptions,
  work: (endpoint: ServerEndpoint) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    // Most servers are ready, and then nothing waits before the request is sent.
    const lease = fleet.tryAcquire?.(server, options) ?? (await fleet.acquire(server, options));
    try {
      return await work(lease.endpoint);
    } catch (thrown) {
      if (tries > 1 || !isWorthRepeating(thrown, lease, options)) throw thrown;
    } finally {
      lease.release();
    }
  }
}

/** Whether work failed because its endpoint ended before the server got it, and the caller still wants it. */
export function isWorthRepeating(
  thrown: unknown,
  { endpoint }: Lease,
  { signal }: Pick<AcquireOptions, "signal">,
): boolean {
  const isSafe = isProtocolFault(thrown) && thrown.retrySafe && !signal?.aborted;
  return isSafe && !isUsablePhase(endpoint.phase);
}
