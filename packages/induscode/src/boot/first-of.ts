export interface FirstOfOptions {
  readonly signal: AbortSignal;
  /** Give up waiting after this long. Default never. */
  readonly waitMs?: number;
}

/** Resolves with the first of several events, when the time is up or the signal aborts; whoever waits looks for itself which it was. */
export async function firstOf(
  events: readonly Promise<unknown>[],
  { signal, waitMs }: FirstOfOptions,
): Promise<void> {
  let stop = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", stop, { once: true });
  });
  const timer = waitMs === undefined ? undefined : setTimeout(stop, waitMs);
  await Promise.race([...events, aborted]);
  clearTimeout(timer);
  signal.removeEventListener("abort", stop);
}
