/**
 * Runs the steps of each key one after the other, in the order of the calls. Steps of different keys run at the same
 * time. A step that fails does not stop the next one.
 */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<Value>(key: string, step: () => Promise<Value>): Promise<Value> {
    const mine = (this.#tails.get(key) ?? Promise.resolve()).then(step);
    const tail = mine.catch(() => {});
    this.#tails.set(key, tail);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}

/** Lets callers that want the same thing at the same time share one attempt. */
export interface SingleFlight<Key> {
  /** Starts `attempt` unless one for this key is running; all callers get the outcome of that one. */
  run<Value>(key: Key, attempt: () => Promise<Value>): Promise<Value>;
  /** Whether an attempt for this key is running. */
  has(key: Key): boolean;
}

/**
 * An attempt is forgotten when it settles, even if it fails: the next caller starts a new one. A caller that stops
 * waiting leaves the attempt running for the others.
 */
export function createSingleFlight<Key>(): SingleFlight<Key> {
  const flights = new Map<Key, Promise<unknown>>();
  return {
    has: (key) => flights.has(key),
    run<Value>(key: Key, attempt: () => Promise<Value>): Promise<Value> {
      const running = flights.get(key);
      if (running) return running as Promise<Value>;
      const flight = startAttempt(attempt).finally(() => flights.delete(key));
      flights.set(key, flight);
      return flight;
    },
  };
}

/** Turns a synchronous throw of the attempt into a rejection. */
async function startAttempt<Value>(attempt: () => Promise<Value>): Promise<Value> {
  return await attempt();
}
