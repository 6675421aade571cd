import { type Clock, settlesWithin } from "../../core/index.ts";
import type { Lease, ServerEndpoint } from "../contract/index.ts";

/** One endpoint and the leases on it, so that it is not closed during a call. */
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

  /** Counts as a use: the idle time begins again. */
  touch(): void {
    this.#usedMs = this.#clock.monotonicMs();
  }

  grant(): Lease {
    const lease: Lease = { endpoint: this.endpoint, release: () => this.#release(lease) };
    this.#leases.add(lease);
    this.touch();
    return lease;
  }

  /** Runs work on the endpoint, which is in use meanwhile. Resolves also if the work fails, as for any listener. */
  async during(work: (endpoint: ServerEndpoint) => Promise<unknown>): Promise<void> {
    const lease = this.grant();
    try {
      await work(this.endpoint);
    } catch {
      // See above.
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

  #release(lease: Lease): void {
    if (!this.#leases.delete(lease)) return;
    this.touch();
    if (this.isInUse) return;
    for (const resolve of this.#onFree) resolve();
    this.#onFree.clear();
  }
}
