import type { AgentEvent } from "./contract.ts";

/** Events on their way from a turn to its reader. */
export interface EventQueue {
  push(event: AgentEvent): void;
  close(): void;
  readonly events: AsyncIterable<AgentEvent>;
}

/** `onLeave` is called when the reader leaves before the end. */
export function createEventQueue(onLeave: () => void): EventQueue {
  const waiting: AgentEvent[] = [];
  let isClosed = false;
  let wake = (): void => {};
  const read = async function* (): AsyncGenerator<AgentEvent, void> {
    try {
      for (;;) {
        const next = waiting.shift();
        if (next) yield next;
        else if (isClosed) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      if (!isClosed) onLeave();
    }
  };
  return {
    push: (event) => {
      const last = waiting.at(-1);
      // A slow reader gets fewer and longer pieces of text.
      if (event.kind === "text_delta" && last?.kind === "text_delta")
        waiting[waiting.length - 1] = { kind: "text_delta", text: last.text + event.text };
      else waiting.push(event);
      wake();
    },
    close: () => {
      isClosed = true;
      wake();
    },
    events: read(),
  };
}
