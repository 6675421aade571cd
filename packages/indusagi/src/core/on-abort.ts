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
  process.getBuiltinModule("node:events").setMaxListeners(0, signal);
  signal.addEventListener("abort", heard, { once: true });
  return () => signal.removeEventListener("abort", heard);
}
