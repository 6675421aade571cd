import type { EndpointStatus } from "indusagi/interop";

/** Which servers have been restarting for so long that they count as down. Most restarts are quicker. */
export class LongRestarts {
  readonly #graceMs: number;
  readonly #onLong: () => void;
  /** When each server that is being restarted was first seen so. */
  readonly #sinceMs = new Map<string, number>();

  /** `onLong` is called when the time of a server may be over. */
  constructor(graceMs: number, onLong: () => void) {
    this.#graceMs = graceMs;
    this.#onLong = onLong;
  }

  note({ server, state }: EndpointStatus): void {
    if (state !== "restarting") this.#sinceMs.delete(server);
    else if (!this.#sinceMs.has(server)) {
      this.#sinceMs.set(server, performance.now());
      setTimeout(this.#onLong, this.#graceMs + 1).unref();
    }
  }

  has(server: string): boolean {
    const sinceMs = this.#sinceMs.get(server);
    return sinceMs !== undefined && performance.now() - sinceMs >= this.#graceMs;
  }
}
