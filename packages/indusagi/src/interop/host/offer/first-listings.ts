import { extensionKey } from "../../content/index.ts";
import type { HostClient } from "../../contract/index.ts";

/** Clients without a connection that are remembered. Beyond it all are forgotten and may have to wait again. */
const MAX_CLIENTS = 1_000;

/** Makes each client's first listing wait, and all that the client requests meanwhile. */
export class FirstListings {
  readonly #before: ((client: HostClient) => Promise<void>) | undefined;
  readonly #ofConnections = new WeakMap<object, Promise<void>>();
  readonly #ofClients = new Map<string, Promise<void>>();

  constructor(before: ((client: HostClient) => Promise<void>) | undefined) {
    this.#before = before;
  }

  /** Resolves when the client may get its tools; `undefined` if it may now. Never rejects. */
  wait(client: HostClient, connection: object | undefined): Promise<void> | undefined {
    if (!this.#before) return undefined;
    const key = [client.principal ?? "", client.client?.name ?? "", extensionKey(client.extensions)].join(
      "\0",
    );
    const begun = connection ? this.#ofConnections.get(connection) : this.#ofClients.get(key);
    if (begun) return begun;
    const waiting = this.#before(client).catch(() => {});
    if (connection) this.#ofConnections.set(connection, waiting);
    else {
      if (this.#ofClients.size >= MAX_CLIENTS) this.#ofClients.clear();
      this.#ofClients.set(key, waiting);
    }
    return waiting;
  }
}
