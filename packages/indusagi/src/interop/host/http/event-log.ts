import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

interface LoggedEvent {
  readonly id: string;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

export interface EventLogLimits {
  readonly events: number;
  readonly bytes: number;
}

/**
 * What one session has sent on its streams, so that a client that lost one can ask for the rest. The oldest is
 * forgotten first; a client that comes back too late is told so by getting nothing.
 */
export class EventLog implements EventStore {
  readonly #limits: EventLogLimits;
  readonly #events = new Map<string, LoggedEvent>();
  #bytes = 0;
  #last = 0;

  constructor(limits: EventLogLimits) {
    this.#limits = limits;
  }

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#last += 1;
    const id = `${stream}_${this.#last}`;
    // An event larger than everything we may keep is not kept; its id still marks the place.
    const bytes = roughSize(message);
    if (bytes <= this.#limits.bytes) {
      this.#events.set(id, { id, stream, message, bytes });
      this.#bytes += bytes;
    }
    this.#forgetOldest();
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events.get(id)?.stream;
  }

  async replayEventsAfter(
    id: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const from = this.#events.get(id);
    if (!from) return "";
    let isAfter = false;
    for (const event of [...this.#events.values()]) {
      if (isAfter && event.stream === from.stream) await send(event.id, event.message);
      isAfter ||= event.id === id;
    }
    return from.stream;
  }

  #forgetOldest(): void {
    for (const [id, { bytes }] of this.#events) {
      if (this.#events.size <= this.#limits.events && this.#bytes <= this.#limits.bytes) return;
      this.#events.delete(id);
      this.#bytes -= bytes;
    }
  }
}

/** About how much memory a message holds. Near enough for a limit, and far cheaper than writing it out. */
export function roughSize(message: unknown): number {
  let size = 0;
  const pending: unknown[] = [message];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    size += typeof node === "string" ? node.length : 8;
    if (typeof node !== "object" || node === null) continue;
    for (const [key, value] of Object.entries(node)) {
      size += key.length;
      if (value !== undefined) pending.push(value);
    }
  }
  return size;
}
