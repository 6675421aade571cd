/** Hands an event to somebody else's handler. What it throws, at once or later, disturbs nobody. */
export function tell<Event>(handler: ((event: Event) => unknown) | undefined, event: Event): void {
  try {
    const heard = handler?.(event);
    if (heard instanceof Promise) heard.catch(() => {});
  } catch {
    // The event has happened; a handler's own trouble is the handler's.
  }
}
