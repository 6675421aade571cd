import { describeError } from "../../core/index.ts";
import { answeredRemotely, bridgeBox } from "../../interop/bridge/index.ts";
import {
  isProtocolFault,
  isUsablePhase,
  type RemoteTool,
  ServerFleetImpl,
  type SupervisionOptions,
} from "../../interop/index.ts";
import {
  abortedOutcome,
  faultOutcome,
  type Tool,
  type ToolBox,
  type ToolFault,
  unknownToolOutcome,
} from "../../runtime/index.ts";
import { callTool, clientCoreOf, type MCPClient } from "../client/index.ts";
import type {
  MCPClientPoolOptions,
  MCPConnectionOptions,
  MCPPrompt,
  MCPResource,
  MCPServerStatus,
  MCPToolDefinition,
} from "../contract/index.ts";
import { isMCPError } from "../errors/index.ts";
import { mintedToolName } from "../tools/tool-names.ts";
import { PoolMember } from "./pool-member.ts";

export interface MCPSupervisedPoolOptions extends MCPClientPoolOptions {
  /**
   * How servers that fail are restarted. On by default; with `false` a server that failed stays disconnected until
   * `connect` or `reconnect`. There is no `lazy`: `connect` starts a server.
   */
  readonly supervision?: Omit<SupervisionOptions, "lazy"> | false;
}

/**
 * Clients by name over one supervised fleet: a server that fails is restarted and does not affect the others. A server
 * that was disconnected by a call stays disconnected until a call connects it. Without a `logger`, one line per failing
 * server goes to standard error.
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
        return client ? clientCoreOf(client).endpointOptions() : {};
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
    for (const server of options.servers) this.#addMember(server);
  }

  /** Connects to all servers at the same time. Never rejects: the status shows which servers failed, and why. */
  async connectAll(): Promise<void> {
    await Promise.all([...this.#members.values()].map((member) => member.connect()));
  }

  /** Disconnects all servers, which stay in the pool. Never rejects. */
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

  /** The status of every server, in the order they were added. Never rejects. */
  async getStatus(): Promise<MCPServerStatus[]> {
    return Promise.all([...this.#members.values()].map((member) => member.status()));
  }

  /** The tools by server. Never rejects: a failed server has none. */
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

  /** Adds a server or replaces the one with the same name, and connects to it. Returns false if that failed. */
  async addServer(server: MCPConnectionOptions): Promise<boolean> {
    const before = this.#members.get(server.name);
    const member = this.#addMember(server);
    await before?.leave();
    return member.connect();
  }

  /** Disconnects a server and removes it. Returns false if there is none with that name. */
  async removeServer(name: string): Promise<boolean> {
    const member = this.#members.get(name);
    if (!member) return false;
    this.#members.delete(name);
    await member.leave();
    return true;
  }

  /** Starts a server again. Returns false if there is none with that name, or if it could not be connected. */
  async reconnect(name: string): Promise<boolean> {
    return (await this.#members.get(name)?.reconnect()) ?? false;
  }

  /**
   * Without a list: reconnects all servers. With a list: adds, replaces and removes servers until the pool has exactly
   * these. A server whose options are unchanged keeps its connection, or is connected if it has none.
   */
  async reload(servers?: readonly MCPConnectionOptions[]): Promise<void> {
    if (servers) return this.#applyList(servers);
    await Promise.all([...this.#members.keys()].map((name) => this.reconnect(name)));
  }

  /** The tools of all servers. Always returns the same box, which follows the changes of the pool. */
  toolBox(): ToolBox {
    return this.#box;
  }

  /** The same as `disconnectAll`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnectAll();
  }

  #addMember(server: MCPConnectionOptions): PoolMember {
    const member = new PoolMember(server, this.#options, this.#fleet);
    this.#members.set(server.name, member);
    return member;
  }

  #attach(server: string): void {
    const client = this.getClient(server);
    const endpoint = this.#fleet.endpoint(server);
    if (client && endpoint && isUsablePhase(endpoint.phase)) clientCoreOf(client).attach(endpoint);
  }

  async #applyList(servers: readonly MCPConnectionOptions[]): Promise<void> {
    const wanted = new Map(servers.map((server) => [server.name, server]));
    const removed = [...this.#members.keys()].filter((name) => !wanted.has(name));
    const steps = [...wanted.values()].map(async (server) => {
      const member = this.#members.get(server.name);
      if (!member?.hasOptions(server)) return this.addServer(server);
      return member.client.connected || member.connect();
    });
    await Promise.all([...removed.map((name) => this.removeServer(name)), ...steps]);
  }

  async #listAll<Item>(list: (client: MCPClient) => Promise<Item[]>): Promise<Record<string, Item[]>> {
    const listed = [...this.#members.values()].map(
      async (member) => [member.client.serverName, await member.listOf(list)] as const,
    );
    return Object.fromEntries(await Promise.all(listed));
  }
}

/** An entry of the pool's box. Calls go through the client, so its handlers and timeout apply. */
function pooledTool(
  { ref, descriptor, definition }: RemoteTool,
  clientOf: (server: string) => MCPClient | undefined,
): Tool {
  return {
    descriptor,
    run: async (call, signal, caller) => {
      if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
      const client = clientOf(ref.server);
      if (!client) return unknownToolOutcome(call.id, call.name);
      try {
        const { input: args, meta } = call;
        const request = { name: ref.name, args, definition, signal, caller, meta };
        const answer = await callTool(clientCoreOf(client), request);
        return answeredRemotely(call, answer);
      } catch (thrown) {
        if (signal?.aborted) return abortedOutcome(call.id, call.name, true);
        return faultOutcome(call.id, describeError(thrown), faultOf(ref.server, thrown));
      }
    },
  };
}

/** The cause has more detail than the error's code. A NOT_CONNECTED error has an earlier fault as its cause. */
function faultOf(server: string, thrown: unknown): ToolFault {
  if (isMCPError(thrown) && thrown.code === "NOT_CONNECTED")
    return { kind: "not_connected", retrySafe: true, server };
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return isProtocolFault(cause) ? cause.toToolFault() : { kind: "tool_error", retrySafe: false, server };
}
