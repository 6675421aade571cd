export type Awaitable<Value> = Value | Promise<Value>;

/**
 * An algorithm over calls that are either all synchronous or all asynchronous. It yields the result of each call and
 * gets back the value, so one implementation serves `runSync` and `runAsync`.
 */
export type Steps<Value> = Generator<unknown, Value, unknown>;

/** Inside `Steps`: waits for a result that may be a promise. */
export function* stepResult<Value>(result: Awaitable<Value>): Steps<Value> {
  return (yield result) as Value;
}

/** Runs steps whose calls are synchronous. */
export function runSync<Value>(steps: Steps<Value>): Value {
  let step = steps.next();
  while (!step.done) step = steps.next(step.value);
  return step.value;
}

/** Runs steps whose calls return promises. */
export async function runAsync<Value>(steps: Steps<Value>): Promise<Value> {
  let step = steps.next();
  while (!step.done) step = await resume(steps, step.value);
  return step.value;
}

async function resume<Value>(steps: Steps<Value>, result: unknown): Promise<IteratorResult<unknown, Value>> {
  let value: unknown;
  try {
    value = await result;
  } catch (thrown) {
    return steps.throw(thrown);
  }
  return steps.next(value);
}
