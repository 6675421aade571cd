/** The listeners of one event, called in the order they were added. */
export class Listeners<Event = void> {
  // Wrapped, so a function added twice is called twice and removed once.
  readonly #entries = new Set<{ readonly listener: (event: Event) => unknown }>();

  /** Returns a function that removes the listener. */
  add(listener: (event: Event) => unknown): () => void {
    const entry = { listener };
    this.#entries.add(entry);
    return () => void this.#entries.delete(entry);
  }

  /** Calls every listener. A listener that throws does not affect the others or the caller. */
  emit(event: Event): void {
    if (this.#entries.size === 0) return; // Most events of a call have no listener.
    for (const { listener } of [...this.#entries]) callListener(listener, event);
  }

  clear(): void {
    this.#entries.clear();
  }
}

/**
 * Calls a listener, if there is one, and ignores its errors, thrown or rejected: the event has already happened, and
 * the code that reports it cannot handle a fault in a listener.
 */
export function callListener<Event>(listener: ((event: Event) => unknown) | undefined, event: Event): void {
  try {
    const result = listener?.(event);
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // See above.
  }
}
