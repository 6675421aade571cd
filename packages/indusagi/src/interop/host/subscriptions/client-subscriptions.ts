import { RpcCode } from "../../wire/index.ts";
import { RpcFailure } from "../request/rpc-failure.ts";
import type { ResourceWatchers } from "./resource-watchers.ts";

/** Resources that a connection, or a stream without one, may watch at a time. */
export const MAX_WATCHED = 1_000;
const MAX_URI = 8_192;

/** The resources one client watches. Limited, because entries are kept as long as the client wants. */
export class ClientSubscriptions {
  readonly #watches: ResourceWatchers;
  readonly #limit: number;
  readonly #uris = new Set<string>();
  #isOver = false;

  constructor(watches: ResourceWatchers, limit: number = MAX_WATCHED) {
    this.#watches = watches;
    this.#limit = limit;
  }

  get size(): number {
    return this.#uris.size;
  }

  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  /** Throws an `RpcFailure` if the client is at its limit, or if the provider cannot watch the resource. */
  add(uri: string): void {
    // A request may be handled after its connection has ended; what it starts would never be stopped.
    if (this.#isOver || this.#uris.has(uri)) return;
    if (uri.length > MAX_URI)
      throw new RpcFailure(RpcCode.INVALID_PARAMS, `a URI to watch must not exceed ${MAX_URI} characters`);
    if (this.#uris.size >= this.#limit)
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

  /** Stops watching everything, and accepts nothing any more. */
  end(): void {
    this.#isOver = true;
    for (const uri of this.#uris) this.delete(uri);
  }
}
