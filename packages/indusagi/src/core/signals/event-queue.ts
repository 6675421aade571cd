/** A queue of events for one reader. */
export interface EventQueue<Event> {
  push(event: Event): void;
  /** The reader gets the queued events, then the end. */
  close(): void;
  readonly events: AsyncIterable<Event>;
}

export interface EventQueueOptions<Event> {
  /** Called when the reader leaves before the end. */
  readonly onLeave: () => void;
  /** Merges two consecutive queued events, so a slow reader gets fewer. Undefined: both stay. */
  readonly merge?: (last: Event, next: Event) => Event | undefined;
}

export function createEventQueue<Event>({ onLeave, merge }: EventQueueOptions<Event>): EventQueue<Event> {
  const waiting: Event[] = [];
  let isClosed = false;
  let wake = (): void => {};
  const read = async function* (): AsyncGenerator<Event, void> {
    try {
      for (;;) {
        if (waiting.length > 0) yield waiting.shift() as Event;
        else if (isClosed) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      if (!isClosed) onLeave();
    }
  };
  return {
    push: (event) => {
      const merged = merge && waiting.length > 0 ? merge(waiting.at(-1) as Event, event) : undefined;
      if (merged === undefined) waiting.push(event);
      else waiting[waiting.length - 1] = merged;
      wake();
    },
    close: () => {
      isClosed = true;
      wake();
    },
    events: read(),
  };
}
