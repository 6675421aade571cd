import { RpcFailure } from "../request/rpc-failure.ts";
import type { Watches } from "./resource-watchers.ts";

/** How many resources a connection, or a stream without one, may watch at a time. */
export const MOST_WATCHED = 1_000;
const LONGEST_URI = 8_192;

const INVALID_PARAMS = -32602;

/** What one client watches. Bounded, because every entry is kept as long as the client likes. */
export class WatchList {
  readonly #watches: Watches;
  readonly #room: number;
  readonly #uris = new Set<string>();
  #isOver = false;

  constructor(watches: Watches, room: number = MOST_WATCHED) {
    this.#watches = watches;
    this.#room = room;
  }

  get size(): number {
    return this.#uris.size;
  }

  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  /** Throws an `RpcFailure` when there is no room, or when the provider cannot watch it. */
  add(uri: string): void {
    // A request may be looked at after its connection has ended: nobody would ever stop what it starts.
    if (this.#isOver || this.#uris.has(uri)) return;
    if (uri.length > LONGEST_URI)
      throw new RpcFailure(INVALID_PARAMS, `a URI to watch must not exceed ${LONGEST_URI} characters`);
    if (this.#uris.size >= this.#room)
      throw new RpcFailure(
        INVALID_PARAMS,
        `a client may watch at most ${MOST_WATCHED} resources at a time; stop watching others first`,
      );
    this.#watches.start(uri);
    this.#uris.add(uri);
  }

  delete(uri: string): void {
    if (this.#uris.delete(uri)) this.#watches.stop(uri);
  }

  /** Nothing is watched any longer, nor ever again. */
  end(): void {
    this.#isOver = true;
    for (const uri of this.#uris) this.delete(uri);
  }
}
