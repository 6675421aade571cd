import { CoreError, mintUlid, showDuration } from "../../../core/index.ts";
import type { Conversation } from "./conversation.ts";

export interface ParkingLimits {
  /** How long a question waits for its answer. */
  readonly questionMs: number;
  /** Waiting questions of one client. */
  readonly perOwner: number;
  /** Waiting questions in total. */
  readonly total: number;
}

/** Fills in the defaults. A limit that is `undefined` keeps its default. */
export function resolveParking(given: Partial<ParkingLimits> = {}): ParkingLimits {
  const { questionMs = 600_000, perOwner = 32, total = 1024 } = given;
  return { questionMs, perOwner, total };
}

interface ParkedCall {
  readonly talk: Conversation;
  readonly timer: NodeJS.Timeout;
  /** The listener of the request, if there is one. */
  readonly listener: string | undefined;
}

/** Conversations that wait for their client. At its deadline a conversation is ended and its place is freed. */
export class ParkedCalls {
  readonly #limits: ParkingLimits;
  readonly #parked = new Map<string, ParkedCall>();

  constructor(limits: ParkingLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#parked.size;
  }

  /**
   * Keeps a conversation until its client returns; if there is no space, ends it and throws. Each ticket is new, so
   * the state of an earlier question is not valid for a later one.
   */
  park(talk: Conversation, listener?: string): string {
    if (this.#parked.size >= this.#limits.total || this.#countOf(talk.owner) >= this.#limits.perOwner) {
      const full = new CoreError(
        "too_many_questions",
        "too many questions are waiting for an answer; answer those first",
      );
      talk.end(full);
      throw full;
    }
    const { questionMs } = this.#limits;
    const ticket = mintUlid();
    const timer = setTimeout(() => {
      this.#parked.delete(ticket);
      talk.end(new CoreError("unanswered", `the client did not answer within ${showDuration(questionMs)}`));
    }, questionMs);
    timer.unref();
    this.#parked.set(ticket, { talk, timer, listener });
    return ticket;
  }

  /** Removes and returns a conversation, for its owner only. */
  take(ticket: string, owner: string): Conversation | undefined {
    const entry = this.#parked.get(ticket);
    if (entry?.talk.owner !== owner) return undefined;
    clearTimeout(entry.timer);
    this.#parked.delete(ticket);
    return entry.talk;
  }

  /** Ends the conversations of an owner. */
  endOwned(owner: string, reason: unknown): void {
    this.#endThose(({ talk }) => talk.owner === owner, reason);
  }

  /** Ends the conversations of a closed listener. */
  endOfListener(listener: string, reason: unknown): void {
    this.#endThose((call) => call.listener === listener, reason);
  }

  #endThose(matches: (call: ParkedCall) => boolean, reason: unknown): void {
    for (const [id, call] of this.#parked) {
      if (!matches(call)) continue;
      clearTimeout(call.timer);
      this.#parked.delete(id);
      call.talk.end(reason);
    }
  }

  #countOf(owner: string): number {
    let count = 0;
    for (const { talk } of this.#parked.values()) if (talk.owner === owner) count += 1;
    return count;
  }
}
