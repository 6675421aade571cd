import { untilAborted } from "../../core/index.ts";
import {
  isUsablePhase,
  type Lease,
  ProtocolFault,
  type ServerConfig,
  type ServerEndpoint,
  type ServerFleet,
} from "../../interop/index.ts";

export interface FleetMemberOptions {
  readonly server: string;
  readonly fleet: ServerFleet;
  /** Whether the fleet replaces a lost connection without calling `connect`. */
  readonly restarts: boolean;
  /** Returns the server's configuration, or throws if it is not usable. */
  config(): ServerConfig;
}

/**
 * The server of one client, in the pool's fleet or in the client's own, unsupervised one. The client gets its connections here. Connecting adds the server to the fleet; disconnecting removes it.
 */
export class FleetMember {
  readonly #options: FleetMemberOptions;
  #attempt: ConnectAttempt | undefined;
  #isInFleet = false;
  #isRetired = false;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(options: FleetMemberOptions) {
    this.#options = options;
  }

  get restarts(): boolean {
    return this.#options.restarts;
  }

  /** The newest endpoint; undefined before the first connect and after a disconnect. */
  get endpoint(): ServerEndpoint | undefined {
    return this.#isInFleet ? this.#options.fleet.endpoint(this.#options.server) : undefined;
  }

  /** A connected endpoint: the current one, the one being opened, or a new one. Rejects with the fault, or at once on `disconnect`. */
  async connect(): Promise<ServerEndpoint> {
    const { endpoint } = this;
    return endpoint && isUsablePhase(endpoint.phase) ? endpoint : this.reconnect();
  }

  /** Restarts the server in any state, or joins a running attempt. Its tools stay in the fleet meanwhile. */
  async reconnect(): Promise<ServerEndpoint> {
    this.#attempt ??= this.#begin();
    return this.#attempt.result;
  }

  /** Resolves when the last start is over, including the listing of its tools. Never rejects. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  /** Leases a connected endpoint for one request. Waits for a running start. */
  acquire(signal?: AbortSignal): Promise<Lease> {
    const { fleet, server } = this.#options;
    return fleet.acquire(server, signal ? { signal } : {});
  }

  /** Removes the server from the fleet and rejects a running attempt. Resolves when its process has ended. */
  async disconnect(): Promise<void> {
    const { fleet, server } = this.#options;
    this.#attempt?.cancel();
    this.#attempt = undefined;
    if (!this.#isInFleet) return;
    this.#isInFleet = false;
    await fleet.removeServer(server);
  }

  /** Disconnects permanently: from now on the name may belong to another server of the pool. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.disconnect();
  }

  #begin(): ConnectAttempt {
    const attempt = new ConnectAttempt(this.#options.server, this.#start());
    const forget = (): void => {
      if (this.#attempt === attempt) this.#attempt = undefined;
    };
    attempt.result.then(forget, forget);
    return attempt;
  }

  /** Settles with the first success or failure, even if the fleet starts the server again later. */
  async #start(): Promise<ServerEndpoint> {
    const { fleet, server } = this.#options;
    if (this.#isRetired)
      throw notConnected(`server "${server}" was removed from the pool or replaced`, server);
    const config = this.#isInFleet ? undefined : this.#options.config();
    this.#isInFleet = true;
    const started = config ? fleet.addServer(config) : fleet.restart(server);
    this.#settled = Promise.allSettled([started]);
    await this.#connectedOr(started);
    const { endpoint } = this;
    if (endpoint && isUsablePhase(endpoint.phase)) return endpoint;
    throw fleet.statusOf(server)?.fault ?? notConnected(`server "${server}" is not connected`, server);
  }

  /** A start settles when the tools are listed too; the connection can be used before that. */
  async #connectedOr(settled: Promise<unknown>): Promise<void> {
    const { fleet, server } = this.#options;
    let unsubscribe = (): void => {};
    const connected = new Promise<void>((resolve) => {
      unsubscribe = fleet.onStatus((status) => {
        if (status.server === server && isUsablePhase(status.phase)) resolve();
      });
    });
    await Promise.race([settled, connected]).finally(unsubscribe);
  }
}

/** One attempt to connect, shared by all callers of `connect` at that time. */
class ConnectAttempt {
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
    this.#abort.abort(notConnected(message, this.#server));
  }
}

function notConnected(message: string, server: string): ProtocolFault {
  return new ProtocolFault("not_connected", message, { server, retrySafe: true });
}
