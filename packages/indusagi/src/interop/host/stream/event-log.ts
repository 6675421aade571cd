import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { roughSize } from "./json-pieces.ts";

interface LoggedEvent {
  readonly stream: string;
  readonly number: number;
  readonly message: JSONRPCMessage | undefined;
  readonly size: number;
}

export interface EventLogLimits {
  readonly events: number;
  readonly bytes: number;
}

export type StandIn = (message: JSONRPCMessage) => JSONRPCMessage | undefined;

/**
 * What one session has sent on its streams, for a client that lost one and asks for the rest. The oldest events are
 * dropped first. If the last event of a stream is dropped, so is the stream: its client would wait for the end forever.
 */
export class EventLog {
  readonly #limits: EventLogLimits;
  readonly #events = new Map<string, LoggedEvent>();
  /** Number of the last event of each stream that can still be replayed. */
  readonly #lastOf = new Map<string, number>();
  #size = 0;
  #last = 0;

  constructor(limits: EventLogLimits) {
    this.#limits = limits;
  }

  /**
   * Stores an event and returns its id. Without a message it only marks a place that a client can return to. `standIn`
   * replaces a message that is too large to keep.
   */
  store(stream: string, message?: JSONRPCMessage, standIn?: StandIn): string {
    const { bytes } = this.#limits;
    this.#last += 1;
    const id = `${stream}_${this.#last}`;
    const whole = roughSize(message, bytes);
    const other = whole > bytes && message ? standIn?.(message) : undefined;
    const event = {
      stream,
      number: this.#last,
      message: other ?? message,
      size: other ? roughSize(other, bytes) : whole,
    };
    this.#events.set(id, event);
    this.#lastOf.set(stream, event.number);
    this.#size += event.size;
    if (event.size > bytes) this.#forget(id, event);
    this.#forgetOldest();
    return id;
  }

  /** The stream of an event; `undefined` if it cannot be replayed. */
  streamOf(id: string): string | undefined {
    const { stream } = placeOf(id);
    return this.#lastOf.has(stream) ? stream : undefined;
  }

  /** What was sent on the stream of an event after it, with the ids. */
  *after(id: string): Generator<readonly [id: string, message: JSONRPCMessage], void> {
    const { stream, number } = placeOf(id);
    if (!this.#lastOf.has(stream)) return;
    for (const [each, event] of this.#events)
      if (event.stream === stream && event.number > number && event.message) yield [each, event.message];
  }

  #forgetOldest(): void {
    for (const [id, event] of this.#events) {
      if (this.#events.size <= this.#limits.events && this.#size <= this.#limits.bytes) return;
      this.#forget(id, event);
    }
  }

  #forget(id: string, { stream, number, message, size }: LoggedEvent): void {
    this.#events.delete(id);
    this.#size -= size;
    const isEnd = message && ("result" in message || "error" in message);
    if (isEnd && this.#lastOf.get(stream) === number) this.#lastOf.delete(stream);
  }
}

function placeOf(id: string): { readonly stream: string; readonly number: number } {
  const at = id.lastIndexOf("_");
  return { stream: id.slice(0, at), number: Number(id.slice(at + 1)) };
}
