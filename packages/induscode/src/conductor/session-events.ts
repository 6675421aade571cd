import { Listeners } from "indusagi/core";
import type { SessionEvent } from "./contract.ts";

type Reader = (event: SessionEvent) => void;

/** Where the events of a session go: to the reader of the running turn, else to the listeners, else they wait for either. */
export class SessionEvents {
  readonly #listeners = new Listeners<SessionEvent>();
  #turn: Reader | undefined;
  /** Events that came before there was a listener, such as problems at the start. */
  readonly #unread: SessionEvent[] = [];
  #isHeard = false;

  get hasTurn(): boolean {
    return this.#turn !== undefined;
  }

  emit(event: SessionEvent): void {
    if (this.#turn) this.#turn(event);
    else if (this.#isHeard) this.#listeners.emit(event);
    else this.#unread.push(event);
  }

  listen(listener: Reader): () => void {
    const remove = this.#listeners.add(listener);
    this.#isHeard = true;
    for (const event of this.#unread.splice(0)) listener(event);
    return remove;
  }

  beginTurn(reader: Reader): void {
    this.#turn = reader;
    for (const event of this.#unread.splice(0)) reader(event);
  }

  endTurn(): void {
    this.#turn = undefined;
  }
}
