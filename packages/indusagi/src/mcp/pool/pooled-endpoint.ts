import {
  isUsablePhase,
  type Lease,
  ProtocolFault,
  type ServerConfig,
  type ServerEndpoint,
  type ServerFleet,
} from "../../interop/index.ts";
import { ConnectAttempt, type EndpointSource } from "../client/index.ts";

export interface PooledEndpointOptions {
  readonly server: string;
  readonly fleet: ServerFleet;
  /** Returns the server's configuration, or throws if it is not usable. */
  config(): ServerConfig;
}

/**
 * One server of a pool's fleet as the source of a client's connections. Connecting adds the server to the fleet, which
 * from then on restarts it when it fails; disconnecting removes it.
 */
export class PooledEndpoint implements EndpointSource {
  readonly restarts = true;
  readonly #options: PooledEndpointOptions;
  #attempt: ConnectAttempt | undefined;
  #isInFleet = false;
  #isRetired = false;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(options: PooledEndpointOptions) {
    this.#options = options;
  }

  get endpoint(): ServerEndpoint | undefined {
    return this.#isInFleet ? this.#options.fleet.endpoint(this.#options.server) : undefined;
  }

  async connect(): Promise<ServerEndpoint> {
    const { endpoint } = this;
    return endpoint && isUsablePhase(endpoint.phase) ? endpoint : this.reconnect();
  }

  /** Starts the server again in any state, or joins the attempt under way. Its tools stay in the fleet meanwhile. */
  async reconnect(): Promise<ServerEndpoint> {
    this.#attempt ??= this.#begin();
    return this.#attempt.result;
  }

  /** Resolves when the last start is over, including the listing of its tools. Never rejects. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  acquire(signal?: AbortSignal): Promise<Lease> {
    const { fleet, server } = this.#options;
    return fleet.acquire(server, signal ? { signal } : {});
  }

  /** Removes the server from the fleet and rejects the attempt under way. Resolves when its process has ended. */
  async disconnect(): Promise<void> {
    const { fleet, server } = this.#options;
    this.#attempt?.cancel();
    this.#attempt = undefined;
    if (!this.#isInFleet) return;
    this.#isInFleet = false;
    await fleet.removeServer(server);
  }

  /** Disconnects for good: the name may belong to another server of the pool from now on. */
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

  /** Ends with the first success or failure, also if the fleet starts the server again later. */
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
    throw fleet.status().get(server)?.fault ?? notConnected(`server "${server}" is not connected`, server);
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

function notConnected(message: string, server: string): ProtocolFault {
  return new ProtocolFault("not_connected", message, { server, retrySafe: true });
}
