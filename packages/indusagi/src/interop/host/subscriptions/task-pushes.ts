const MAX_PER_OWNER = 1_000;
const MAX_TOTAL = 10_000;

/** How many tasks the subscriptions of a host follow. Beyond a limit none is acknowledged: its client asks instead. */
export class TaskPushes {
  readonly #byOwner = new Map<string, number>();
  #total = 0;

  take(owner: string, count: number): { readonly isGranted: boolean; readonly release: () => void } {
    const owned = this.#byOwner.get(owner) ?? 0;
    if (owned + count > MAX_PER_OWNER || this.#total + count > MAX_TOTAL)
      return { isGranted: false, release: () => {} };
    this.#change(owner, count);
    return { isGranted: true, release: () => this.#change(owner, -count) };
  }

  #change(owner: string, by: number): void {
    const owned = (this.#byOwner.get(owner) ?? 0) + by;
    if (owned > 0) this.#byOwner.set(owner, owned);
    else this.#byOwner.delete(owner);
    this.#total += by;
  }
}
