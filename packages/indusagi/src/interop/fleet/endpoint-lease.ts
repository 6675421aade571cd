import { type Clock, settlesWithin } from "../../core/index.ts";
import type { Lease, ServerEndpoint } from "../contract/index.ts";

/** One endpoint's time in office, and who is using it. Whoever ends it looks here first. */
export class EndpointLease {
  readonly endpoint: ServerEndpoint;
  readonly #clock: Clock;
  readonly #leases = new Set<Lease>();
  readonly #onFree = new Set<() => void>();
  /** When it was last given to somebody or given back. */
  usedMs: number;
  /** Whether it has been told to open. */
  isStarted = false;

  constructor(endpoint: ServerEndpoint, clock: Clock) {
    this.endpoint = endpoint;
    this.#clock = clock;
    this.usedMs = clock.monotonicMs();
  }

  get isInUse(): boolean {
    return this.#leases.size > 0;
  }

  lease(): Lease {
    const lease: Lease = { endpoint: this.endpoint, release: () => this.#release(lease) };
    this.#leases.add(lease);
    this.usedMs = this.#clock.monotonicMs();
    return lease;
  }

  /** Resolves when nobody uses it any more, when the time is up, or when the signal says that waiting is over. */
  async drained(withinMs: number, signal: AbortSignal): Promise<void> {
    if (!this.isInUse || withinMs <= 0) return;
    const free = new Promise<void>((resolve) => this.#onFree.add(resolve));
    await settlesWithin(free, withinMs, { signal, clock: this.#clock });
  }

  #release(lease: Lease): void {
    if (!this.#leases.delete(lease)) return;
    this.usedMs = this.#clock.monotonicMs();
    if (this.isInUse) return;
    for (const tell of this.#onFree) tell();
    this.#onFree.clear();
  }
}
