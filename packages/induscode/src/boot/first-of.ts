export interface FirstOfOptions {
  readonly signal: AbortSignal;
  /** Stop waiting after this time. Default: never. */
  readonly waitMs?: number | undefined;
}

/** Resolves at the first of several events, after `waitMs`, or when the signal aborts. The caller checks which. */
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
  try {
    await Promise.race([...events, aborted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
