import { isTerminalPhase, isUsablePhase, type Lease, type ServerEndpoint } from "../../interop/index.ts";

/** Where a client gets its connections from: endpoints of its own, or those a pool's fleet supervises. */
export interface EndpointSource {
  /** Whether a lost connection is replaced without a call of `connect`. */
  readonly restarts: boolean;
  /** The newest endpoint; undefined before the first connect and after a disconnect. */
  readonly endpoint: ServerEndpoint | undefined;
  /** Returns a connected endpoint: the present one, the one being opened, or a new one. Rejects with the fault. */
  connect(): Promise<ServerEndpoint>;
  /** Borrows a connected endpoint for one request. Waits for a restart, where the source restarts its server. */
  acquire(signal?: AbortSignal): Promise<Lease>;
  /** Ends the connection. Never rejects; only `connect` makes another one. */
  disconnect(): Promise<void>;
}

interface Opening {
  readonly endpoint: ServerEndpoint;
  readonly opening: Promise<ServerEndpoint>;
}

/** The endpoints of a client that stands alone: one at a time, and none is opened but by `connect`. */
export class OwnEndpoints implements EndpointSource {
  readonly restarts = false;
  readonly #mint: () => ServerEndpoint;
  readonly #onOpen: (endpoint: ServerEndpoint) => void;
  #current: Opening | undefined;

  constructor(mint: () => ServerEndpoint, onOpen: (endpoint: ServerEndpoint) => void) {
    this.#mint = mint;
    this.#onOpen = onOpen;
  }

  get endpoint(): ServerEndpoint | undefined {
    return this.#current?.endpoint;
  }

  async connect(): Promise<ServerEndpoint> {
    const phase = this.endpoint?.phase;
    const isOver = phase === undefined || phase === "closing" || isTerminalPhase(phase);
    const current = (isOver ? undefined : this.#current) ?? this.#open();
    return current.opening;
  }

  async acquire(): Promise<Lease> {
    const { endpoint } = this;
    if (endpoint && isUsablePhase(endpoint.phase)) return { endpoint, release: () => {} };
    throw endpoint?.status().fault ?? new Error("there is no connection");
  }

  async disconnect(): Promise<void> {
    const { endpoint } = this;
    this.#current = undefined;
    await endpoint?.close();
  }

  #open(): Opening {
    const endpoint = this.#mint();
    const opening = endpoint.open().then(() => {
      this.#onOpen(endpoint);
      return endpoint;
    });
    opening.catch(() => {}); // Every caller of `connect` gets the error; with no caller left it must not be unhandled.
    this.#current = { endpoint, opening };
    return this.#current;
  }
}
