import { bridgeBox } from "../../interop/bridge/index.ts";
import { isUsablePhase, ServerFleetImpl, type SupervisionOptions } from "../../interop/index.ts";
import type { ToolBox } from "../../runtime/index.ts";
import { coreOf, type MCPClient } from "../client/index.ts";
import type {
  MCPClientPoolOptions,
  MCPConnectionOptions,
  MCPPrompt,
  MCPResource,
  MCPServerStatus,
  MCPToolDefinition,
} from "../contract/index.ts";
import { mintedToolName } from "../tools/tool-names.ts";
import { PoolMember } from "./pool-member.ts";
import { pooledTool } from "./pooled-tool.ts";

export interface MCPSupervisedPoolOptions extends MCPClientPoolOptions {
  /**
   * How servers that fail are restarted. On by default; with `false` a server that failed stays disconnected until
   * `connect` or `reconnect`. There is no `lazy`: `connect` starts a server.
   */
  readonly supervision?: Omit<SupervisionOptions, "lazy"> | false;
}

/**
 * Clients by name over one supervised fleet: a server that fails is restarted and does not affect the others. A server
 * that was disconnected by a call stays disconnected until a call connects it.
 */
export class MCPClientPool {
  readonly #options: MCPClientPoolOptions;
  readonly #members = new Map<string, PoolMember>();
  readonly #fleet: ServerFleetImpl;
  readonly #box: ToolBox;

  /** If two servers have the same name, the later one is used. */
  constructor(options: MCPSupervisedPoolOptions = { servers: [] }) {
    const { supervision = {}, ...common } = options;
    this.#options = common;
    this.#fleet = new ServerFleetImpl({
      transport: ({ id }) => this.#members.get(id)?.options.transport?.(),
      endpointOptions: ({ id }) => {
        const client = this.getClient(id);
        return client ? coreOf(client).endpointOptions() : {};
      },
      supervision: supervision && { ...supervision, lazy: false },
    });
    this.#fleet.onStatus(({ server, phase }) => {
      // Handlers must be in place before the server's first notification, not at the next call.
      if (isUsablePhase(phase)) this.#attach(server);
    });
    this.#box = bridgeBox(this.#fleet, {
      nameOf: ({ server, name }) => mintedToolName(server, name),
      mount: (tool) => pooledTool(tool, (name) => this.getClient(name)),
    });
    for (const server of options.servers) this.#enter(server);
  }

  /** Connects to every server at the same time. Never rejects: a server that failed stays in the status, with the reason. */
  async connectAll(): Promise<void> {
    await Promise.all([...this.#members.values()].map((member) => member.connect()));
  }

  /** Ends every connection. Never rejects; the servers stay in the pool. */
  async disconnectAll(): Promise<void> {
    await Promise.all(this.getAllClients().map((client) => client.disconnect()));
  }

  /** The client of a server, connected or not. */
  getClient(name: string): MCPClient | undefined {
    return this.#members.get(name)?.client;
  }

  /** The clients in the order they were added. */
  getAllClients(): MCPClient[] {
    return [...this.#members.values()].map(({ client }) => client);
  }

  isConnected(name: string): boolean {
    return this.getClient(name)?.connected ?? false;
  }

  /** The state of every server, in the order they were added. Never rejects. */
  async getStatus(): Promise<MCPServerStatus[]> {
    return Promise.all([...this.#members.values()].map((member) => member.status()));
  }

  /** The tools by server. Never rejects: a server that cannot list has none. */
  async listAllTools(): Promise<Record<string, MCPToolDefinition[]>> {
    return this.#listAll((client) => client.listTools());
  }

  /** The resources by server. Never rejects. */
  async listAllResources(): Promise<Record<string, MCPResource[]>> {
    return this.#listAll((client) => client.listResources());
  }

  /** The prompts by server. Never rejects. */
  async listAllPrompts(): Promise<Record<string, MCPPrompt[]>> {
    return this.#listAll((client) => client.listPrompts());
  }

  /** Adds a server, or replaces the one of the same name, and connects to it. False when it could not be connected. */
  async addServer(server: MCPConnectionOptions): Promise<boolean> {
    const before = this.#members.get(server.name);
    const member = this.#enter(server);
    await before?.leave();
    return member.connect();
  }

  /** Disconnects a server and forgets it; false when there was none of that name. */
  async removeServer(name: string): Promise<boolean> {
    const member = this.#members.get(name);
    if (!member) return false;
    this.#members.delete(name);
    await member.leave();
    return true;
  }

  /** Connects one server again; false when there is none of that name, or it could not be connected. */
  async reconnect(name: string): Promise<boolean> {
    return (await this.#members.get(name)?.reconnect()) ?? false;
  }

  /**
   * Without servers: makes every connection again. With servers: makes the pool this list. A server whose options are
   * unchanged keeps its connection, or gets one if it has none.
   */
  async reload(servers?: readonly MCPConnectionOptions[]): Promise<void> {
    if (servers) return this.#become(servers);
    await Promise.all([...this.#members.keys()].map((name) => this.reconnect(name)));
  }

  /** The tools of all servers as one box, always the same object; it follows every change of the pool. */
  toolBox(): ToolBox {
    return this.#box;
  }

  /** The same as `disconnectAll`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnectAll();
  }

  #enter(server: MCPConnectionOptions): PoolMember {
    const member = new PoolMember(server, this.#options, this.#fleet);
    this.#members.set(server.name, member);
    return member;
  }

  #attach(server: string): void {
    const client = this.getClient(server);
    const endpoint = this.#fleet.endpoint(server);
    if (client && endpoint && isUsablePhase(endpoint.phase)) coreOf(client).attach(endpoint);
  }

  async #become(servers: readonly MCPConnectionOptions[]): Promise<void> {
    const wanted = new Map(servers.map((server) => [server.name, server]));
    const gone = [...this.#members.keys()].filter((name) => !wanted.has(name));
    const steps = [...wanted.values()].map(async (server) => {
      const member = this.#members.get(server.name);
      if (!member?.isFor(server)) return this.addServer(server);
      return member.client.connected || member.connect();
    });
    await Promise.all([...gone.map((name) => this.removeServer(name)), ...steps]);
  }

  async #listAll<Item>(list: (client: MCPClient) => Promise<Item[]>): Promise<Record<string, Item[]>> {
    const listed = this.getAllClients().map(
      async (client) => [client.serverName, await list(client).catch((): Item[] => [])] as const,
    );
    return Object.fromEntries(await Promise.all(listed));
  }
}
