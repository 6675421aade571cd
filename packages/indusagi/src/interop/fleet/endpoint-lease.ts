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
  readonly #leases = new Set<Lease>();
  readonly #onFree = new Set<() => void>();
  #usedMs: number;

  constructor(endpoint: ServerEndpoint, clock: Clock) {
    this.endpoint = endpoint;
    this.#clock = clock;
    this.#usedMs = clock.monotonicMs();
  }

  get isInUse(): boolean {
    return this.#leases.size > 0;
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
    const lease: Lease = {
      endpoint: this.endpoint,
      release: () => {
        if (!this.#leases.delete(lease)) return;
        this.touch();
        if (this.#leases.size > 0) return;
        for (const resolve of this.#onFree) resolve();
        this.#onFree.clear();
      },
    };
    this.#leases.add(lease);
    this.touch();
    return lease;
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
  const lease = await fleet.acquire(server, options);
  try {
    return await work(lease.endpoint);
  } catch (thrown) {
    const isSafe = isProtocolFault(thrown) && thrown.retrySafe && !options.signal?.aborted;
    if (!isSafe || isUsablePhase(lease.endpoint.phase)) throw thrown;
  } finally {
    lease.release();
  }
  const next = await fleet.acquire(server, options);
  try {
    return await work(next.endpoint);
  } finally {
    next.release();
  }
}
