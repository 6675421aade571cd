/** Tells somebody who listens. What it throws is its own affair: behind it in the same chunk stand the answers of others. */
export function callListener<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value);
  } catch {
    // Nobody here could do anything about it.
  }
}
