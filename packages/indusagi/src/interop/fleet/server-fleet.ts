import {
  type AcquireOptions,
  type BridgeConfig,
  type CatalogueChange,
  type FleetStatus,
  isUsablePhase,
  type Lease,
  ProtocolFault,
  type RemoteTool,
  type ServerConfig,
  type ServerEndpoint,
  type ServerFleet,
} from "../contract/index.ts";
import {
  createEraMemory,
  createServerEndpoint,
  type EndpointOptions,
  type InjectedTransport,
} from "../endpoint/index.ts";

export interface FleetOptions extends EndpointOptions {
  /** Gives a transport in the place of the configured one. A factory, because endpoints are minted anew. */
  readonly transport?: (config: ServerConfig) => InjectedTransport | undefined;
  /** How long `start` waits for servers at the most; later ones join by themselves. Without it, until all have settled. */
  readonly waitMs?: number;
}

interface Member {
  readonly config: ServerConfig;
  readonly endpoint: ServerEndpoint;
  /** Settles when the first connect and listing are over, however they went. */
  readonly settled: Promise<void>;
  tools: readonly RemoteTool[];
}

/** Many endpoints with one life. Each is started by itself and fails by itself. */
export class ServerFleetImpl implements ServerFleet {
  readonly #options: FleetOptions;
  readonly #members = new Map<string, Member>();
  readonly #listeners = new Set<(change: CatalogueChange) => void>();
  #config: BridgeConfig | undefined;

  constructor(options: FleetOptions = {}) {
    this.#options = { eras: createEraMemory(), ...options };
  }

  /** Connects to every server of a configuration at the same time. Never rejects for a bad server. */
  async start(config: BridgeConfig): Promise<void> {
    await this.tearDown();
    this.#config = config;
    // By id, so that of two rows with one id the later counts, in the place of the earlier.
    const byId = new Map(config.servers.map((server) => [server.id, server]));
    const members = [...byId.values()].map((server) => this.#enlist(server));
    await within(Promise.all(members.map((member) => member.settled)), this.#options.waitMs);
  }

  async spinUp(): Promise<void> {
    if (!this.#config)
      throw new ProtocolFault("not_connected", "the fleet has no configuration yet; start it with one");
    await this.start(this.#config);
  }

  async tearDown(): Promise<void> {
    const members = [...this.#members.values()];
    this.#members.clear();
    await Promise.all(members.map((member) => member.endpoint.close()));
    for (const member of members) this.#announce(member.config.id, member.tools, []);
  }

  endpoint(server: string): ServerEndpoint | undefined {
    return this.#members.get(server)?.endpoint;
  }

  endpoints(): readonly ServerEndpoint[] {
    return [...this.#members.values()].map((member) => member.endpoint);
  }

  status(): FleetStatus {
    return new Map([...this.#members].map(([id, member]) => [id, member.endpoint.status()]));
  }

  async acquire(server: string, options: AcquireOptions = {}): Promise<Lease> {
    const member = this.#members.get(server);
    if (!member)
      throw new ProtocolFault("not_connected", `there is no server "${server}"`, { server, retrySafe: true });
    if (member.config.share !== undefined && member.config.share !== "fleet") {
      const says = `server "${server}" asks for a connection for each ${member.config.share}, which is not supported yet`;
      throw new ProtocolFault("not_connected", says, { server, reason: "unsupported", retrySafe: true });
    }
    if (!isUsablePhase(member.endpoint.phase)) await member.endpoint.open(options.signal);
    return { endpoint: member.endpoint, release: () => {} };
  }

  catalogue(server: string): readonly RemoteTool[] {
    return this.#members.get(server)?.tools ?? [];
  }

  async addServer(config: ServerConfig): Promise<void> {
    const old = this.#members.get(config.id);
    const member = this.#enlist(config);
    if (old) {
      await old.endpoint.close();
      this.#announce(config.id, old.tools, member.tools);
    }
    this.#remember(config);
    await member.settled;
  }

  async removeServer(server: string): Promise<boolean> {
    const member = this.#members.get(server);
    if (!member) return false;
    this.#members.delete(server);
    this.#config = {
      ...this.#config,
      servers: (this.#config?.servers ?? []).filter((config) => config.id !== server),
    };
    await member.endpoint.close();
    this.#announce(server, member.tools, []);
    return true;
  }

  onChange(listener: (change: CatalogueChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #enlist(config: ServerConfig): Member {
    const { timeouts = this.#config?.timeouts, transport, ...rest } = this.#options;
    const endpoint = createServerEndpoint(config, transport?.(config), {
      ...rest,
      ...(timeouts ? { timeouts } : {}),
    });
    const member: Member = { config, endpoint, tools: [], settled: this.#bringUp(endpoint) };
    this.#members.set(config.id, member);
    endpoint.onToolsChanged((listing) => this.#take(endpoint, listing.tools));
    return member;
  }

  /** The wall: whatever goes wrong with one server is in its status and goes no further. */
  async #bringUp(endpoint: ServerEndpoint): Promise<void> {
    try {
      await endpoint.open();
      this.#take(endpoint, await endpoint.listTools());
    } catch {
      // The endpoint keeps its fault; a listing that failed leaves it ready and without tools.
    }
  }

  #take(endpoint: ServerEndpoint, tools: readonly RemoteTool[]): void {
    const member = this.#members.get(endpoint.config.id);
    if (member?.endpoint !== endpoint) return;
    const before = member.tools;
    member.tools = tools;
    this.#announce(endpoint.config.id, before, tools);
  }

  #announce(server: string, before: readonly RemoteTool[], tools: readonly RemoteTool[]): void {
    if (before.length === 0 && tools.length === 0) return;
    for (const listener of [...this.#listeners]) listener({ server, tools });
  }

  #remember(config: ServerConfig): void {
    const others = (this.#config?.servers ?? []).filter((server) => server.id !== config.id);
    this.#config = { ...this.#config, servers: [...others, config] };
  }
}

async function within(work: Promise<unknown>, ms: number | undefined): Promise<void> {
  if (ms === undefined) return void (await work);
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
