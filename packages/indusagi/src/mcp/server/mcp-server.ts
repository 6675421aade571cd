import { definedMembers } from "../../core/internal.ts";
import { publishableItems } from "../../interop/content/index.ts";
import {
  createProviderHost,
  type HttpListener,
  type HttpServeOptions,
  type MessageTransport,
  type ProviderHost,
  type RunningProviderHost,
  type StdioServeOptions,
  serveHttp,
  serveStdio,
} from "../../interop/index.ts";
import type { AgentTool, MCPServerOptions } from "../contract/index.ts";
import { createConfigError, createServerError, translateError } from "../errors/index.ts";
import { AgentToolBox } from "./agent-tool-box.ts";

/** An agent's tools as an MCP server. Tools can be added and removed while it serves; clients are notified. */
export class MCPServer {
  readonly name: string;
  readonly version: string;
  readonly #tools = new AgentToolBox();
  readonly #host: ProviderHost;
  readonly #running = new Set<{ close(): Promise<void> }>();
  #isOnStdio = false;
  #stops = 0;

  constructor(options: MCPServerOptions) {
    const { name, version = "1.0.0", tools, description } = options;
    this.name = name;
    this.version = version;
    for (const tool of tools) this.addTool(tool);
    const about = definedMembers({ name, version, instructions: description });
    this.#host = createProviderHost(this.#tools.box, about);
  }

  /** Adds a tool, or replaces the one with the same name. Throws if clients would refuse it. */
  addTool(tool: AgentTool): void {
    if (typeof tool?.name !== "string" || tool.name === "")
      throw createConfigError(`server "${this.name}": a tool has no name`);
    if (typeof tool.execute !== "function")
      throw createConfigError(`server "${this.name}": tool "${tool.name}" has no execute function`);
    const inputSchema = { type: "object", ...tool.parameters };
    const [leftOut] = publishableItems("tools", [{ name: tool.name, inputSchema }]).leftOut;
    if (leftOut)
      throw createConfigError(
        `server "${this.name}": tool "${tool.name}" has "parameters" that clients refuse: ${leftOut.why}`,
      );
    this.#tools.add(tool);
  }

  /** Returns false if there is no tool with that name. */
  removeTool(name: string): boolean {
    return this.#tools.remove(name);
  }

  /** The tools in the order they were added. */
  listTools(): AgentTool[] {
    return this.#tools.tools();
  }

  /** Serves on standard input and output. Resolves when the client has closed the session or `stop` was called. */
  async startStdio(options: StdioServeOptions = {}): Promise<void> {
    if (this.#isOnStdio)
      throw createServerError(
        `server "${this.name}" already serves on stdio; call stop() first`,
        undefined,
        this.name,
      );
    this.#isOnStdio = true;
    try {
      const running = await this.#start(() => serveStdio(this.#host, options));
      await running.waiting();
    } finally {
      this.#isOnStdio = false;
    }
  }

  /** Serves over Streamable HTTP, by default on localhost only. Resolves with the address when it listens. */
  async startHttp(options: HttpServeOptions = { port: 0 }): Promise<HttpListener> {
    return this.#start(() => serveHttp(this.#host, options));
  }

  /** Serves one connection over a transport, e.g. one side of `linkedTransports()`. */
  async connect(transport: MessageTransport): Promise<RunningProviderHost> {
    return this.#start(() => this.#host.connect(transport));
  }

  /** Ends every session and listener and the calls they run. Never rejects. The server can be started again. */
  async stop(): Promise<void> {
    this.#stops++;
    const running = [...this.#running];
    this.#running.clear();
    await Promise.all(running.map((one) => one.close()));
  }

  /** The same as `stop`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #start<Running extends { close(): Promise<void>; waiting?(): Promise<void> }>(
    start: () => Promise<Running>,
  ): Promise<Running> {
    const stops = this.#stops;
    let running: Running;
    try {
      running = await start();
    } catch (thrown) {
      throw translateError(thrown, { site: "connect", serverName: this.name });
    }
    if (stops !== this.#stops) {
      await running.close();
      throw createServerError(
        `server "${this.name}" was stopped while it was starting`,
        undefined,
        this.name,
      );
    }
    this.#running.add(running);
    void running.waiting?.().then(() => this.#running.delete(running));
    return running;
  }
}

export function createMCPServer(options: MCPServerOptions): MCPServer {
  return new MCPServer(options);
}
