// Looked up with the first signal and kept: this runs with every call.
const loadEvents = () => process.getBuiltinModule("node:events");
let events: ReturnType<typeof loadEvents> | undefined;

/**
 * Calls `listener` with the reason when the signal aborts, at once if it has aborted already. Returns the way to stop
 * listening, which whoever listens must take: a signal often outlives what it was given to.
 *
 * Many calls may share one signal, each with a listener of its own, so its warning about many listeners is switched off.
 */
export function onAbort(signal: AbortSignal, listener: (reason: unknown) => void): () => void {
  if (signal.aborted) {
    listener(signal.reason);
    return () => {};
  }
  const heard = (): void => listener(signal.reason);
  events ??= loadEvents();
  events.setMaxListeners(0, signal);
  signal.addEventListener("abort", heard, { once: true });
  return () => signal.removeEventListener("abort", heard);
}
