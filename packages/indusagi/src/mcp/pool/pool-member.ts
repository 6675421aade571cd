import { canonicalJson, describeError, escapeForDisplay } from "../../core/index.ts";
import { coreOf, MCPClient } from "../client/index.ts";
import type {
  HttpServerConfig,
  MCPClientPoolOptions,
  MCPConnectionOptions,
  MCPServerConfig,
  MCPServerStatus,
} from "../contract/index.ts";
import { redactText } from "../errors/index.ts";

/** One server of a pool. What goes wrong with it is kept here and goes no further. */
export class PoolMember {
  readonly options: MCPConnectionOptions;
  readonly client: MCPClient;
  #failure: string | undefined;

  constructor(options: MCPConnectionOptions, pool: MCPClientPoolOptions) {
    const { servers: _, ...common } = pool;
    this.options = options;
    this.client = new MCPClient({ ...common, ...options });
  }

  /** Whether it is connected now. Never rejects. */
  async connect(): Promise<boolean> {
    this.#failure = undefined;
    try {
      await this.client.connect();
      return true;
    } catch (thrown) {
      this.#failure = inOneLine(thrown);
      coreOf(this.client).note("error", this.#failure);
      return false;
    }
  }

  /** How it is, with what can be counted. Never rejects. */
  async status(): Promise<MCPServerStatus> {
    const { client } = this;
    const name = client.serverName;
    if (!client.connected) return { name, connected: false, error: this.#whyNot() };
    const [tools, resources, prompts] = await Promise.allSettled([
      client.listTools(),
      client.listResources(),
      client.listPrompts(),
    ]);
    const failed = [tools, resources, prompts].find((counted) => counted.status === "rejected");
    return {
      name,
      connected: client.connected,
      ...(tools.status === "fulfilled" ? { toolCount: tools.value.length } : {}),
      ...(resources.status === "fulfilled" ? { resourceCount: resources.value.length } : {}),
      ...(prompts.status === "fulfilled" ? { promptCount: prompts.value.length } : {}),
      ...(failed ? { error: inOneLine(failed.reason) } : {}),
    };
  }

  /** Whether other options say the same, so that nothing has to be started anew. */
  isFor(options: MCPConnectionOptions): boolean {
    const mine = this.options;
    return (
      canonicalJson(plain(mine)) === canonicalJson(plain(options)) &&
      mine.auth === options.auth &&
      mine.transport === options.transport &&
      partsOf(mine.config).fetch === partsOf(options.config).fetch
    );
  }

  #whyNot(): string {
    if (this.#failure !== undefined) return this.#failure;
    try {
      coreOf(this.client).ready();
    } catch (thrown) {
      return inOneLine(thrown);
    }
    return "it is not connected";
  }
}

/** Fit to be shown: part of it may be what a server wrote. */
function inOneLine(thrown: unknown): string {
  return escapeForDisplay(redactText(describeError(thrown)));
}

/** What of the options is data. The shape of a configuration is not known before a client has looked at it. */
function plain({ name, config, timeout, includeTools, excludeTools }: MCPConnectionOptions): unknown {
  const { url, fetch: _, ...launch } = partsOf(config);
  const address = url === undefined ? {} : { url: String(url) };
  return JSON.parse(
    JSON.stringify({ name, config: { ...launch, ...address }, timeout, includeTools, excludeTools }),
  );
}

function partsOf(config: MCPServerConfig | undefined): Partial<HttpServerConfig> {
  return { ...(config as Partial<HttpServerConfig> | undefined) };
}
