import { Listeners } from "../../../core/index.ts";
import type { EndpointTraffic } from "../../contract/index.ts";

/** Requests that only check whether a server is alive or what it offers. They do not count as calls. */
const NOT_CALLS: ReadonlySet<string> = new Set(["ping", "server/discover", "tools/list"]);

/** One request, from the moment it is sent. */
export interface TrackedRequest {
  /** Its deadline has passed. Counts at most once, and only if no byte has arrived since it was sent. */
  late(): void;
  /** It has ended, with or without an answer from the server. */
  ended(isAnswered?: boolean): void;
}

/**
 * Counts what arrives from a server, and the calls that pass their deadline without a sign of life. Based on the order of
 * events, not the clock: a byte that arrives after a call was sent proves that the server was alive during that call.
 */
export class CallTraffic implements EndpointTraffic {
  readonly #answers = new Listeners();
  readonly #changes = new Listeners();
  #received = 0;
  #missed = 0;
  #waiting = 0;

  get received(): number {
    return this.#received;
  }

  get missed(): number {
    return this.#missed;
  }

  get waiting(): number {
    return this.#waiting;
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  onAnswer(listener: () => void): () => void {
    return this.#answers.add(listener);
  }

  /** Something arrived: output, or headers or a part of an HTTP response. */
  readonly arrived = (): void => {
    this.#received++;
    if (this.#missed === 0) return;
    this.#missed = 0;
    this.#changes.emit();
  };

  /** A request was sent. */
  sent(method: string): TrackedRequest {
    return NOT_CALLS.has(method) ? UNTRACKED : new TrackedCall(this, this.#received);
  }

  /** For the calls that are tracked here. */
  began(): void {
    this.#waiting++;
  }

  passedDeadline(receivedBefore: number): void {
    if (this.#received !== receivedBefore) return;
    this.#missed++;
    this.#changes.emit();
  }

  ended(isAnswered: boolean): void {
    this.#waiting--;
    if (this.#missed > 0) this.#changes.emit();
    if (isAnswered) this.#answers.emit();
  }
}

class TrackedCall implements TrackedRequest {
  readonly #traffic: CallTraffic;
  readonly #receivedBefore: number;
  #isLate = false;

  constructor(traffic: CallTraffic, receivedBefore: number) {
    this.#traffic = traffic;
    this.#receivedBefore = receivedBefore;
    traffic.began();
  }

  late(): void {
    if (this.#isLate) return;
    this.#isLate = true;
    this.#traffic.passedDeadline(this.#receivedBefore);
  }

  ended(isAnswered = false): void {
    this.#traffic.ended(isAnswered);
  }
}

const UNTRACKED: TrackedRequest = { late() {}, ended() {} };
