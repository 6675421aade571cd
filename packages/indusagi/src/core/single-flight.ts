/** Joins callers that want the same thing at the same time into one attempt. */
export interface SingleFlight<Key> {
  /** Starts `attempt` unless one for this key is under way; everybody gets that one's outcome. */
  run<Value>(key: Key, attempt: () => Promise<Value>): Promise<Value>;
  /** Whether an attempt for this key is under way. */
  has(key: Key): boolean;
}

/**
 * Nothing is remembered once an attempt has settled: the next caller starts afresh, also after a failure.
 * A caller that gives up leaves the attempt running for the others.
 */
export function createSingleFlight<Key>(): SingleFlight<Key> {
  const flights = new Map<Key, Promise<unknown>>();
  return {
    has: (key) => flights.has(key),
    run<Value>(key: Key, attempt: () => Promise<Value>): Promise<Value> {
      const underWay = flights.get(key);
      if (underWay) return underWay as Promise<Value>;
      const flight = startAttempt(attempt).finally(() => flights.delete(key));
      flights.set(key, flight);
      return flight;
    },
  };
}

/** A synchronous throw of the attempt must reach its callers as a rejection like any other. */
async function startAttempt<Value>(attempt: () => Promise<Value>): Promise<Value> {
  return await attempt();
}
