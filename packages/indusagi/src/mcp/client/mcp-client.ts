import type { ServerSession } from "../../interop/index.ts";
import type {
  MCPCallOptions,
  MCPClientOptions,
  MCPClientState,
  MCPCompletion,
  MCPCompletionRequest,
  MCPContentBlock,
  MCPInitializeResult,
  MCPLoggingLevel,
  MCPPrompt,
  MCPPromptResult,
  MCPResource,
  MCPResourceContents,
  MCPResourceResult,
  MCPResourceTemplate,
  MCPServerConfig,
  MCPToolCallResult,
  MCPToolClient,
  MCPToolDefinition,
} from "../contract/index.ts";
import { callTool } from "./call-tool.ts";
import { ClientCore } from "./client-core.ts";
import { getPrompt } from "./get-prompt.ts";
import { HandledClient } from "./handled-client.ts";
import { listRemoteTools } from "./list-tools.ts";
import { listFromServer, requestServer, requireCapability } from "./request-server.ts";

const cores = new WeakMap<MCPClient, ClientCore>();

/**
 * One connection to one server. Nothing is started before `connect`; after `disconnect`, or when the server is gone,
 * `connect` makes a new connection. Every failure is an `MCPError`, an abort the signal's own reason.
 */
export class MCPClient extends HandledClient implements MCPToolClient {
  readonly serverName: string;
  readonly config: MCPServerConfig;
  /** Milliseconds for connecting, for a listing and for a call. */
  readonly timeout: number;
  readonly #core: ClientCore;
  #tools: readonly MCPToolDefinition[] = [];
  #resources: readonly MCPResource[] = [];
  #prompts: readonly MCPPrompt[] = [];

  constructor(options: MCPClientOptions) {
    const core = new ClientCore(options);
    super(core);
    this.#core = core;
    this.serverName = options.name;
    this.config = options.config;
    this.timeout = this.#core.timeout;
    cores.set(this, this.#core);
  }

  get connected(): boolean {
    return this.#core.isConnected;
  }

  /** How the server introduced itself; nothing unless connected. */
  get serverInfo(): MCPInitializeResult | undefined {
    return this.connected ? introductionOf(this.#core.ready().session) : undefined;
  }

  /** What is known at this moment: the lists as they were last asked for. */
  get state(): MCPClientState {
    return {
      connected: this.connected,
      serverName: this.serverName,
      tools: this.#tools,
      resources: this.#resources,
      prompts: this.#prompts,
    };
  }

  /** Connects. Callers at the same time share one attempt, and one that stands is kept; an abort leaves it running. */
  async connect(options: { readonly signal?: AbortSignal } = {}): Promise<MCPInitializeResult> {
    const { session } = await this.#core.connect(options.signal);
    return introductionOf(session);
  }

  /** Ends the connection and the process behind it. Never rejects. */
  async disconnect(): Promise<void> {
    await this.#core.disconnect();
  }

  /** The tools exactly as their server defines them; kept fresh while connected. */
  async listTools(): Promise<MCPToolDefinition[]> {
    const tools = await listRemoteTools(this.#core);
    const definitions = tools.map(({ definition }) => definition as unknown as MCPToolDefinition);
    this.#tools = definitions;
    return [...definitions];
  }

  /** Calls a tool by its server's own name. A failure the tool reports is a result with `isError`. */
  async callTool(
    name: string,
    args: { readonly [name: string]: unknown } = {},
    options: MCPCallOptions = {},
  ): Promise<MCPToolCallResult> {
    const { content, isError, structuredContent, meta } = await callTool(this.#core, {
      ...options,
      name,
      args,
    });
    return {
      content: content as readonly MCPContentBlock[],
      isError,
      ...(structuredContent === undefined ? {} : { structuredContent }),
      ...(meta === undefined ? {} : { _meta: meta }),
    };
  }

  /** `[]` from a server without resources. */
  async listResources(): Promise<MCPResource[]> {
    const resources = await listFromServer<MCPResource>(this.#core, {
      method: "resources/list",
      member: "resources",
      capability: "resources",
    });
    this.#resources = resources;
    return [...resources];
  }

  /** `[]` from a server without resources. */
  async listResourceTemplates(): Promise<MCPResourceTemplate[]> {
    return listFromServer<MCPResourceTemplate>(this.#core, {
      method: "resources/templates/list",
      member: "resourceTemplates",
      capability: "resources",
    });
  }

  /** What a resource holds now. */
  async readResource(uri: string): Promise<MCPResourceResult> {
    requireCapability(this.#core, "resources");
    const request = { method: "resources/read", params: { uri }, site: "resource" } as const;
    const { contents } = await requestServer(this.#core, request);
    return { contents: Array.isArray(contents) ? (contents as MCPResourceContents[]) : [] };
  }

  /** From now on the handler set by `setResourceUpdatedHandler` hears of this resource, until the connection ends. */
  async subscribeResource(uri: string): Promise<void> {
    requireCapability(this.#core, "resources", "subscribe");
    await this.#watch((watch) => watch.add(uri));
  }

  /** Takes a subscription back. */
  async unsubscribeResource(uri: string): Promise<void> {
    requireCapability(this.#core, "resources", "subscribe");
    await this.#watch((watch) => watch.remove(uri));
  }

  /** `[]` from a server without prompts. */
  async listPrompts(): Promise<MCPPrompt[]> {
    const prompts = await listFromServer<MCPPrompt>(this.#core, {
      method: "prompts/list",
      member: "prompts",
      capability: "prompts",
    });
    this.#prompts = prompts;
    return [...prompts];
  }

  /** Has a prompt written out. */
  async getPrompt(
    name: string,
    args: { readonly [argument: string]: string } = {},
  ): Promise<MCPPromptResult> {
    return getPrompt(this.#core, name, args);
  }

  /** What could stand in an argument of a prompt or a resource template. */
  async complete(request: MCPCompletionRequest): Promise<MCPCompletion> {
    requireCapability(this.#core, "completions");
    const { completion } = await requestServer(this.#core, {
      method: "completion/complete",
      params: { ...request },
      site: "request",
    });
    const { values, ...rest } = (completion ?? {}) as Partial<MCPCompletion>;
    return { ...rest, values: Array.isArray(values) ? values : [] };
  }

  /** Which messages of the server are wanted, from this level on. */
  async setLoggingLevel(level: MCPLoggingLevel): Promise<void> {
    requireCapability(this.#core, "logging");
    // In the modern era it is said with every request.
    if (this.#core.ready().session.era !== "modern")
      await requestServer(this.#core, { method: "logging/setLevel", params: { level }, site: "request" });
    this.#core.logLevel = level;
  }

  /** The same as `disconnect`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
  }

  async #watch(step: (watch: ReturnType<ClientCore["ready"]>["watch"]) => Promise<void>): Promise<void> {
    const { watch } = this.#core.ready();
    try {
      await step(watch);
    } catch (thrown) {
      throw this.#core.translate(thrown, { site: "resource" });
    }
  }
}

/** What stands behind a client, for the pool. */
export function coreOf(client: MCPClient): ClientCore {
  const core = cores.get(client);
  if (!core) throw new TypeError("that is not an MCPClient made here");
  return core;
}

function introductionOf(session: ServerSession): MCPInitializeResult {
  const { protocolVersion, serverInfo, capabilities, instructions } = session;
  return {
    protocolVersion,
    serverInfo,
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
  };
}
