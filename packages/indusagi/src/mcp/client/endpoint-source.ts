import { untilAborted } from "../../core/index.ts";
import {
  isTerminalPhase,
  isUsablePhase,
  type Lease,
  ProtocolFault,
  type ServerEndpoint,
} from "../../interop/index.ts";

/** Where a client gets its connections: from endpoints of its own, or from the supervised ones of a pool's fleet. */
export interface EndpointSource {
  /** Whether a lost connection is replaced without a call of `connect`. */
  readonly restarts: boolean;
  /** The newest endpoint; undefined before the first connect and after a disconnect. */
  readonly endpoint: ServerEndpoint | undefined;
  /** Returns a connected endpoint: the present one, the one being opened, or a new one. Rejects with the fault, at once after `disconnect`. */
  connect(): Promise<ServerEndpoint>;
  /** Leases a connected endpoint for one request. Waits for a restart if the source restarts its server. */
  acquire(signal?: AbortSignal): Promise<Lease>;
  /** Ends the connection. Never rejects; only `connect` makes another one. */
  disconnect(): Promise<void>;
}

/** One attempt to connect, shared by all callers of `connect` at that time. */
export class ConnectAttempt {
  readonly result: Promise<ServerEndpoint>;
  readonly #server: string;
  readonly #abort = new AbortController();

  constructor(server: string, connecting: Promise<ServerEndpoint>) {
    this.#server = server;
    this.result = untilAborted(connecting, this.#abort.signal);
    this.result.catch(() => {}); // Every caller gets the error; without callers it must not be unhandled.
  }

  /** Rejects `result` at once: callers do not wait until a server that is slow to close has ended. */
  cancel(): void {
    const message = `server "${this.#server}" was disconnected before the connection was open`;
    this.#abort.abort(new ProtocolFault("not_connected", message, { server: this.#server, retrySafe: true }));
  }
}

/** The endpoints of a client outside a pool: one at a time, opened only by `connect`. */
export class OwnEndpoints implements EndpointSource {
  readonly restarts = false;
  readonly #mint: () => ServerEndpoint;
  readonly #onOpen: (endpoint: ServerEndpoint) => void;
  #endpoint: ServerEndpoint | undefined;
  #attempt: ConnectAttempt | undefined;

  constructor(mint: () => ServerEndpoint, onOpen: (endpoint: ServerEndpoint) => void) {
    this.#mint = mint;
    this.#onOpen = onOpen;
  }

  get endpoint(): ServerEndpoint | undefined {
    return this.#endpoint;
  }

  async connect(): Promise<ServerEndpoint> {
    const phase = this.#endpoint?.phase;
    const isOver = phase === undefined || phase === "closing" || isTerminalPhase(phase);
    if (isOver || !this.#attempt) this.#attempt = this.#open();
    return this.#attempt.result;
  }

  async acquire(): Promise<Lease> {
    const { endpoint } = this;
    if (endpoint && isUsablePhase(endpoint.phase)) return { endpoint, release: () => {} };
    throw endpoint?.status().fault ?? new Error("there is no connection");
  }

  async disconnect(): Promise<void> {
    const { endpoint } = this;
    this.#attempt?.cancel();
    this.#endpoint = undefined;
    this.#attempt = undefined;
    await endpoint?.close();
  }

  #open(): ConnectAttempt {
    const endpoint = this.#mint();
    const opening = endpoint.open().then(() => {
      this.#onOpen(endpoint);
      return endpoint;
    });
    this.#endpoint = endpoint;
    return new ConnectAttempt(endpoint.config.id, opening);
  }
}
