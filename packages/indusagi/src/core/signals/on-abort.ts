// Loaded with the first signal and kept, because this runs with every call.
const loadEvents = () => process.getBuiltinModule("node:events");
let events: ReturnType<typeof loadEvents> | undefined;

/**
 * Calls `listener` with the reason when the signal aborts, at once if it has aborted already. Returns a function that
 * removes the listener. Call it when the work is done: a signal often lives longer than the work.
 *
 * Many calls may listen to one signal, so Node's warning about many listeners is turned off for it.
 */
export function onAbort(signal: AbortSignal, listener: (reason: unknown) => void): () => void {
  if (signal.aborted) {
    listener(signal.reason);
    return () => {};
  }
  const onEvent = (): void => listener(signal.reason);
  events ??= loadEvents();
  events.setMaxListeners(0, signal);
  signal.addEventListener("abort", onEvent, { once: true });
  return () => signal.removeEventListener("abort", onEvent);
}
