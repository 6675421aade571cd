import { createSingleFlight } from "../../core/index.ts";
import {
  isUsablePhase,
  type Lease,
  ProtocolFault,
  type ServerConfig,
  type ServerEndpoint,
  type ServerFleet,
} from "../../interop/index.ts";
import type { EndpointSource } from "../client/index.ts";

export interface PooledEndpointOptions {
  readonly server: string;
  readonly fleet: ServerFleet;
  /** The server's configuration. May throw: then there is nothing to connect to. */
  config(): ServerConfig;
}

/**
 * One server of a pool's fleet as the source of a client's connections. Connecting adds the server to the fleet, which
 * from then on restarts it when it fails; disconnecting removes it.
 */
export class PooledEndpoint implements EndpointSource {
  readonly restarts = true;
  readonly #options: PooledEndpointOptions;
  readonly #attempts = createSingleFlight<"connect">();
  #isInFleet = false;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(options: PooledEndpointOptions) {
    this.#options = options;
  }

  get endpoint(): ServerEndpoint | undefined {
    return this.#isInFleet ? this.#options.fleet.endpoint(this.#options.server) : undefined;
  }

  async connect(): Promise<ServerEndpoint> {
    const { endpoint } = this;
    if (endpoint && isUsablePhase(endpoint.phase)) return endpoint;
    return this.#attempts.run("connect", () => this.#attempt());
  }

  /** Starts the server afresh, whatever state it is in. Its tools stay in the fleet meanwhile. */
  async reconnect(): Promise<ServerEndpoint> {
    return this.#attempts.run("connect", () => this.#attempt());
  }

  /** Resolves when the last start is over, the listing of its tools included. Never rejects. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  acquire(signal?: AbortSignal): Promise<Lease> {
    const { fleet, server } = this.#options;
    return fleet.acquire(server, signal ? { signal } : {});
  }

  async disconnect(): Promise<void> {
    if (!this.#isInFleet) return;
    this.#isInFleet = false;
    await this.#options.fleet.removeServer(this.#options.server);
  }

  /** One try by hand: it ends with the first success or failure, whatever the fleet does about the server later. */
  async #attempt(): Promise<ServerEndpoint> {
    const { fleet, server } = this.#options;
    const config = this.#isInFleet ? undefined : this.#options.config();
    this.#isInFleet = true;
    this.#settled = config ? fleet.addServer(config) : fleet.restart(server);
    await this.#connectedOr(this.#settled);
    const { endpoint } = this;
    if (endpoint && isUsablePhase(endpoint.phase)) return endpoint;
    throw fleet.status().get(server)?.fault ?? disconnectedMeanwhile(server);
  }

  /** A start settles when the tools are listed too; the connection can be used before that. */
  async #connectedOr(settled: Promise<unknown>): Promise<void> {
    const { fleet, server } = this.#options;
    let stop = (): void => {};
    const connected = new Promise<void>((resolve) => {
      stop = fleet.onStatus((status) => {
        if (status.server === server && isUsablePhase(status.phase)) resolve();
      });
    });
    await Promise.race([settled, connected]).finally(stop);
  }
}

function disconnectedMeanwhile(server: string): ProtocolFault {
  const message = `server "${server}" was disconnected before the connection was open`;
  return new ProtocolFault("not_connected", message, { server, retrySafe: true });
}
