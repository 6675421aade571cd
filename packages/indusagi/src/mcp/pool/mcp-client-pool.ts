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
import { PoolMember } from "./pool-member.ts";
import { PoolToolBox } from "./pool-tool-box.ts";

/** Many clients by name, each with a connection of its own: what goes wrong with one never hurts the others. */
export class MCPClientPool {
  readonly #options: MCPClientPoolOptions;
  readonly #members = new Map<string, PoolMember>();
  readonly #box = new PoolToolBox(() => this.getAllClients());

  /** Of two servers with one name the later counts. */
  constructor(options: MCPClientPoolOptions = { servers: [] }) {
    this.#options = options;
    for (const server of options.servers) this.#enter(server);
  }

  /** Connects to every server at the same time. Never rejects: whoever failed stays in the status, with the reason. */
  async connectAll(): Promise<void> {
    await Promise.all([...this.#members.values()].map((member) => member.connect()));
    await this.#box.refresh();
  }

  /** Ends every connection. Never rejects; the servers stay in the pool. */
  async disconnectAll(): Promise<void> {
    await Promise.all(this.getAllClients().map((client) => client.disconnect()));
    await this.#box.refresh();
  }

  /** The client of a server, connected or not. */
  getClient(name: string): MCPClient | undefined {
    return this.#members.get(name)?.client;
  }

  /** The clients in the order they came. */
  getAllClients(): MCPClient[] {
    return [...this.#members.values()].map(({ client }) => client);
  }

  isConnected(name: string): boolean {
    return this.getClient(name)?.connected ?? false;
  }

  /** How every server is, in the order they came. Never rejects. */
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

  /** Adds a server and connects to it, in the place of one with the same name. False when it could not be connected. */
  async addServer(server: MCPConnectionOptions): Promise<boolean> {
    const before = this.#members.get(server.name);
    const member = this.#enter(server);
    await before?.client.disconnect();
    const isConnected = await member.connect();
    await this.#box.refresh();
    return isConnected;
  }

  /** Disconnects a server and forgets it; false when there was none of that name. */
  async removeServer(name: string): Promise<boolean> {
    const member = this.#members.get(name);
    if (!member) return false;
    this.#members.delete(name);
    await member.client.disconnect();
    await this.#box.refresh();
    return true;
  }

  /** Connects one server anew; false when there is none of that name, or it could not be connected. */
  async reconnect(name: string): Promise<boolean> {
    const member = this.#members.get(name);
    await member?.client.disconnect();
    const isConnected = (await member?.connect()) ?? false;
    await this.#box.refresh();
    return isConnected;
  }

  /**
   * Without servers: every connection is made anew. With them: the pool becomes what they say, and only what differs
   * is touched; a server that says the same keeps its connection, or gets one if it has none.
   */
  async reload(servers?: readonly MCPConnectionOptions[]): Promise<void> {
    if (servers) return this.#become(servers);
    await Promise.all([...this.#members.keys()].map((name) => this.reconnect(name)));
  }

  /** The tools of all connected servers as one box, the same every time; it follows what the pool gains and loses. */
  toolBox(): ToolBox {
    return this.#box;
  }

  /** The same as `disconnectAll`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnectAll();
  }

  #enter(server: MCPConnectionOptions): PoolMember {
    const member = new PoolMember(server, this.#options);
    this.#members.set(server.name, member);
    coreOf(member.client).onChange(() => void this.#box.refresh());
    return member;
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
    await this.#box.refresh();
  }

  async #listAll<Item>(list: (client: MCPClient) => Promise<Item[]>): Promise<Record<string, Item[]>> {
    const listed = this.getAllClients().map(
      async (client) => [client.serverName, await list(client).catch((): Item[] => [])] as const,
    );
    return Object.fromEntries(await Promise.all(listed));
  }
}
