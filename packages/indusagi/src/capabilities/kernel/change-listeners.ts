/** Listeners of one event, heard in the order they came. */
export interface ChangeListeners<Event> {
  add(listener: (event: Event) => void): () => void;
  tell(event: Event): void;
}

/** One listener that throws must not silence the others, nor break whoever caused the event. */
export function createChangeListeners<Event>(): ChangeListeners<Event> {
  // Wrapped, so that the same function added twice is heard twice and removed once.
  const entries = new Set<{ readonly listener: (event: Event) => void }>();
  return {
    add(listener) {
      const entry = { listener };
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    tell(event) {
      for (const { listener } of [...entries]) {
        try {
          listener(event);
        } catch {
          // The event has happened; a listener's own trouble is the listener's.
        }
      }
    },
  };
}
