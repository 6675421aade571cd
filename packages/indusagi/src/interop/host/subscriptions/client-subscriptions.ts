import { untilAborted } from "../../../core/index.ts";
import type { ProviderRequest, ResourceProvider } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { ResourceWatchers, Watching } from "./resource-watchers.ts";

/** Resources that a connection, or a stream without one, may watch at a time. */
export const MAX_WATCHED = 1_000;
const MAX_URI = 8_192;

export interface ClientSubscriptionsOptions {
  readonly watchers: ResourceWatchers;
  /** Absent: there are no resources to watch. */
  readonly provider: ResourceProvider | undefined;
  readonly limit?: number | undefined;
}

/** The resources one client watches. Limited, because the client decides how long entries are kept. */
export class ClientSubscriptions {
  readonly #options: ClientSubscriptionsOptions;
  readonly #watching = new Map<string, Watching>();
  #isOver = false;

  constructor(options: ClientSubscriptionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#watching.size;
  }

  has(uri: string): boolean {
    return this.#watching.has(uri);
  }

  /**
   * Watches a resource. Throws or rejects with an `RpcFailure` if the client is at its limit, or if the provider cannot
   * watch the resource. Returns `undefined` if the resource is already watched.
   */
  add(uri: string, request: ProviderRequest): Promise<void> | undefined {
    const { watchers, provider, limit = MAX_WATCHED } = this.#options;
    // A request may be handled after its connection has ended; what it starts would never be stopped.
    if (this.#isOver || !provider) return undefined;
    const known = this.#watching.get(uri);
    if (known) return known.ready;
    if (uri.length > MAX_URI)
      throw new RpcFailure(RpcCode.INVALID_PARAMS, `a URI to watch must not exceed ${MAX_URI} characters`);
    if (this.#watching.size >= limit)
      throw new RpcFailure(
        RpcCode.INVALID_PARAMS,
        `a client may watch at most ${MAX_WATCHED} resources at a time; stop watching others first`,
      );
    const watching = watchers.start(provider, uri, request);
    this.#watching.set(uri, watching);
    return watching.ready && this.#orGone(uri, watching, request.signal);
  }

  delete(uri: string): void {
    const watching = this.#watching.get(uri);
    this.#watching.delete(uri);
    watching?.stop();
  }

  /** Stops watching everything, and accepts no more. */
  end(): void {
    this.#isOver = true;
    for (const uri of [...this.#watching.keys()]) this.delete(uri);
  }

  /** A client that cancels its request, or is refused, watches nothing. */
  async #orGone(uri: string, watching: Watching, signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(watching.ready ?? Promise.resolve(), signal);
    } catch (thrown) {
      if (this.#watching.get(uri) === watching) this.delete(uri);
      throw thrown;
    }
  }
}
