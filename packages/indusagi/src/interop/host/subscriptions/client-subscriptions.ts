import { RpcCode } from "../../wire/index.ts";
import { RpcFailure } from "../request/rpc-failure.ts";
import type { ResourceWatchers } from "./resource-watchers.ts";

/** How many resources a connection, or a stream without one, may watch at a time. */
export const MAX_WATCHED = 1_000;
const MAX_URI = 8_192;

/** What one client watches. Bounded, because every entry is kept as long as the client likes. */
export class ClientSubscriptions {
  readonly #watches: ResourceWatchers;
  readonly #room: number;
  readonly #uris = new Set<string>();
  #isOver = false;

  constructor(watches: ResourceWatchers, room: number = MAX_WATCHED) {
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
    if (uri.length > MAX_URI)
      throw new RpcFailure(RpcCode.INVALID_PARAMS, `a URI to watch must not exceed ${MAX_URI} characters`);
    if (this.#uris.size >= this.#room)
      throw new RpcFailure(
        RpcCode.INVALID_PARAMS,
        `a client may watch at most ${MAX_WATCHED} resources at a time; stop watching others first`,
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
