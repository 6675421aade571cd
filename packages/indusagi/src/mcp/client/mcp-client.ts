import { definedMembers } from "../../core/internal.ts";
import type { ServerSession } from "../../interop/index.ts";
import { readResource, getPrompt as requestPrompt } from "../../interop/relay/index.ts";
import type {
  MCPCallOptions,
  MCPClientOptions,
  MCPClientState,
  MCPCompletion,
  MCPCompletionRequest,
  MCPContentBlock,
  MCPElicitationHandler,
  MCPInitializeResult,
  MCPListChangedHandler,
  MCPLoggingLevel,
  MCPLogHandler,
  MCPProgressHandler,
  MCPPrompt,
  MCPPromptResult,
  MCPResource,
  MCPResourceContents,
  MCPResourceResult,
  MCPResourceTemplate,
  MCPResourceUpdatedHandler,
  MCPRoot,
  MCPSamplingHandler,
  MCPServerConfig,
  MCPToolCallResult,
  MCPToolClient,
  MCPToolDefinition,
} from "../contract/index.ts";
import { isMCPError, type MCPError } from "../errors/index.ts";
import { callTool } from "./call-tool.ts";
import { ClientCore, type ReadyConnection } from "./client-core.ts";
import { checkedRoots } from "./client-handlers.ts";
import { askServer, listFromServer, requestServer, requireCapability } from "./request-server.ts";

const cores = new WeakMap<MCPClient, ClientCore>();

/**
 * A client of one server. `connect` starts the server; after `disconnect` or a lost connection, `connect` opens a new
 * connection. Methods reject with an `MCPError`, or with the reason of the caller's signal.
 */
export class MCPClient implements MCPToolClient {
  readonly serverName: string;
  readonly config: MCPServerConfig;
  /** Milliseconds for connecting, for a listing and for a call. */
  readonly timeout: number;
  readonly #core: ClientCore;
  #tools: readonly MCPToolDefinition[] = [];
  #resources: readonly MCPResource[] = [];
  #prompts: readonly MCPPrompt[] = [];

  constructor(options: MCPClientOptions) {
    this.#core = new ClientCore(options);
    this.serverName = options.name;
    this.config = options.config;
    this.timeout = this.#core.timeout;
    cores.set(this, this.#core);
  }

  get connected(): boolean {
    return this.#core.current !== undefined;
  }

  /** What the server declared when it was connected; undefined if not connected. */
  get serverInfo(): MCPInitializeResult | undefined {
    const { current } = this.#core;
    return current && initializeResult(current.session);
  }

  /** A snapshot of the client, with the lists as last fetched. */
  get state(): MCPClientState {
    return {
      connected: this.connected,
      serverName: this.serverName,
      tools: this.#tools,
      resources: this.#resources,
      prompts: this.#prompts,
    };
  }

  /** Connects, or returns the open connection. Concurrent callers share one attempt; aborting one caller does not end it. */
  async connect(options: { readonly signal?: AbortSignal } = {}): Promise<MCPInitializeResult> {
    const { session } = await this.#core.connect(options.signal);
    return initializeResult(session);
  }

  /** Ends the connection and the server's process, and rejects a `connect` under way. Never rejects. */
  async disconnect(): Promise<void> {
    await this.#core.disconnect();
  }

  /**
   * The tools as the server defines them. The list is cached until the server reports a change, or for the lifetime that it stated
   * if it reports none.
   */
  async listTools(): Promise<MCPToolDefinition[]> {
    const { includeTools, excludeTools } = this.#core.options;
    const listed = await this.#core.use(async ({ endpoint }) => {
      try {
        await endpoint.toolHint();
        return await endpoint.listTools();
      } catch (thrown) {
        throw this.#core.translate(thrown, { site: "list" });
      }
    });
    const definitions = listed
      .filter(({ ref: { name } }) => !excludeTools?.includes(name) && (includeTools?.includes(name) ?? true))
      .map(({ definition }) => definition as unknown as MCPToolDefinition);
    this.#tools = definitions;
    return [...definitions];
  }

  /** Calls a tool by its name on the server. If the tool reports a failure, the result has `isError`. */
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
    return definedMembers({
      content: content as readonly MCPContentBlock[],
      isError,
      structuredContent,
      _meta: meta,
    });
  }

  /** Returns `[]` if the server has no resources. */
  async listResources(): Promise<MCPResource[]> {
    const resources = (await listFromServer(this.#core, "resources")) as unknown as readonly MCPResource[];
    this.#resources = resources;
    return [...resources];
  }

  /** Returns `[]` if the server has no resources. */
  async listResourceTemplates(): Promise<MCPResourceTemplate[]> {
    const templates = await listFromServer(this.#core, "templates");
    return [...templates] as unknown as MCPResourceTemplate[];
  }

  async readResource(uri: string): Promise<MCPResourceResult> {
    const { contents } = await askServer(
      this.#core,
      { site: "resource", needs: { capability: "resources" } },
      (session, options) => readResource(session, uri, options),
    );
    return { contents: Array.isArray(contents) ? (contents as MCPResourceContents[]) : [] };
  }

  /**
   * Watches a resource; changes go to the handler set by `setResourceUpdatedHandler`. The watch ends with the connection;
   * in a pool it is renewed after a restart.
   */
  async subscribeResource(uri: string): Promise<void> {
    await this.#watch(({ watch }) => watch.add(uri));
  }

  /** Stops watching a resource. */
  async unsubscribeResource(uri: string): Promise<void> {
    await this.#watch(({ watch, unrenewed }) => {
      unrenewed.delete(uri);
      return watch.remove(uri);
    });
  }

  /** Returns `[]` if the server has no prompts. */
  async listPrompts(): Promise<MCPPrompt[]> {
    const prompts = (await listFromServer(this.#core, "prompts")) as unknown as readonly MCPPrompt[];
    this.#prompts = prompts;
    return [...prompts];
  }

  async getPrompt(
    name: string,
    args: { readonly [argument: string]: string } = {},
  ): Promise<MCPPromptResult> {
    try {
      const { description, messages } = await askServer(
        this.#core,
        { site: "prompt", needs: { capability: "prompts" } },
        (session, options) => requestPrompt(session, { name, args }, options),
      );
      return definedMembers({
        messages: Array.isArray(messages) ? (messages as MCPPromptResult["messages"]) : [],
        description: typeof description === "string" ? description : undefined,
      });
    } catch (thrown) {
      const isRefused = isMCPError(thrown) && thrown.code === "INVALID_PARAMETERS";
      throw isRefused && (await this.#lacksPrompt(name)) ? this.#promptNotFound(name, thrown) : thrown;
    }
  }

  /** Suggests values for an argument of a prompt or a resource template. */
  async complete(request: MCPCompletionRequest): Promise<MCPCompletion> {
    const { completion } = await requestServer(this.#core, {
      method: "completion/complete",
      params: { ...request },
      site: "request",
      needs: { capability: "completions" },
    });
    const { values, ...rest } = (completion ?? {}) as Partial<MCPCompletion>;
    return { ...rest, values: Array.isArray(values) ? values : [] };
  }

  /** Asks the server for log messages of this level and above. */
  async setLoggingLevel(level: MCPLoggingLevel): Promise<void> {
    const needs = { capability: "logging" };
    const isModern = await this.#core.use(async ({ session }) => {
      requireCapability(this.#core, session, needs);
      return session.era === "modern"; // In the modern era every request names the level.
    });
    if (!isModern)
      await requestServer(this.#core, { method: "logging/setLevel", params: { level }, site: "request" });
    this.#core.logLevel = level;
  }

  /** The folders that the server may ask for. */
  get roots(): readonly MCPRoot[] {
    return this.#core.handlers.roots ?? [];
  }

  /**
   * Sets the folders that the server may ask for. A connected server is notified if it was connected with
   * roots; otherwise it learns of them at the next `connect`.
   */
  async setRoots(roots: readonly MCPRoot[]): Promise<void> {
    const { handlers, serverName, current } = this.#core;
    handlers.roots = checkedRoots(roots, serverName);
    if (!current || current.session.era === "modern") return; // A modern server asks for the roots with every call.
    if (!current.declared.roots) return this.#noteLate("the roots");
    try {
      await current.session.notify("notifications/roots/list_changed");
    } catch (thrown) {
      throw this.#core.translate(thrown, { site: "request" });
    }
  }

  /** Sets the handler that shows the server's requests to the user. Set it before `connect`. */
  setElicitationHandler(handler: MCPElicitationHandler | undefined): void {
    this.#core.handlers.elicitation = handler;
    if (handler && this.#isTooLateFor("elicit")) this.#noteLate("the elicitation handler");
  }

  /** Sets the handler that runs a model for the server. Set it before `connect`. */
  setSamplingHandler(handler: MCPSamplingHandler | undefined): void {
    this.#core.handlers.sampling = handler;
    if (handler && this.#isTooLateFor("sample")) this.#noteLate("the sampling handler");
  }

  /** Sets the handler for the progress of every call. */
  setProgressHandler(handler: MCPProgressHandler | undefined): void {
    this.#core.handlers.progress = handler;
  }

  /** Sets the handler for changes to watched resources. */
  setResourceUpdatedHandler(handler: MCPResourceUpdatedHandler | undefined): void {
    this.#core.handlers.resourceUpdated = handler;
  }

  /** Sets the handler for changes to the list of resources. */
  setResourceListChangedHandler(handler: MCPListChangedHandler | undefined): void {
    this.#core.handlers.resourceListChanged = handler;
  }

  /** Sets the handler for changes to the list of prompts. */
  setPromptListChangedHandler(handler: MCPListChangedHandler | undefined): void {
    this.#core.handlers.promptListChanged = handler;
  }

  /** Sets the handler for changes to the list of tools; `listTools` then returns the new list. */
  setToolListChangedHandler(handler: MCPListChangedHandler | undefined): void {
    this.#core.handlers.toolListChanged = handler;
  }

  /** Sets the handler for log messages. It replaces the `logger` of the options. */
  setLogHandler(handler: MCPLogHandler | undefined): void {
    this.#core.handlers.logger = handler;
  }

  /** The same as `disconnect`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
  }

  /** Servers use the same code for an unknown name and a missing argument; their list decides which it is. */
  async #lacksPrompt(name: string): Promise<boolean> {
    const prompts = await listFromServer(this.#core, "prompts").catch(() => undefined);
    return prompts !== undefined && !prompts.some((prompt) => prompt["name"] === name);
  }

  #promptNotFound(name: string, cause: unknown): MCPError {
    const message = `there is no prompt "${name}" on server "${this.serverName}"; listPrompts() returns the existing ones`;
    return this.#core.error("PROMPT_NOT_FOUND", message, { details: { name }, cause });
  }

  /** A legacy server learns only at connect what it may ask for. */
  #isTooLateFor(ability: "elicit" | "sample"): boolean {
    const { current } = this.#core;
    return current !== undefined && current.session.era === "legacy" && !current.declared[ability];
  }

  #noteLate(what: string): void {
    this.#core.note("warning", `the server learns of ${what} at the next connect()`);
  }

  #watch(step: (ready: ReadyConnection) => Promise<void>): Promise<void> {
    return this.#core.use(async (ready) => {
      requireCapability(this.#core, ready.session, { capability: "resources", feature: "subscribe" });
      try {
        await step(ready);
      } catch (thrown) {
        throw this.#core.translate(thrown, { site: "resource" });
      }
    });
  }
}

/** The core of a client, for the pool. */
export function clientCoreOf(client: MCPClient): ClientCore {
  const core = cores.get(client);
  if (!core) throw new TypeError("not an MCPClient of this package");
  return core;
}

function initializeResult(session: ServerSession): MCPInitializeResult {
  const { protocolVersion, serverInfo, capabilities, instructions } = session;
  return definedMembers({ protocolVersion, serverInfo, capabilities, instructions });
}
