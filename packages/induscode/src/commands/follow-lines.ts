/** How often a file is looked at for new lines. */
const FOLLOW_MS = 250;

/** Calls a function again and again until the signal aborts. */
export function followLines(look: () => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(look, FOLLOW_MS);
    const stop = (): void => {
      clearInterval(timer);
      resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
