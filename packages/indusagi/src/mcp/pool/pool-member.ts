import { canonicalJson, describeError, escapeForDisplay } from "../../core/index.ts";
import { definedMembers, redactText } from "../../core/internal.ts";
import { untrustedServer } from "../../interop/endpoint/index.ts";
import type { ServerFleet } from "../../interop/index.ts";
import { clientCoreOf, FleetMember, MCPClient } from "../client/index.ts";
import type {
  HttpServerConfig,
  MCPClientPoolOptions,
  MCPConnectionOptions,
  MCPServerConfig,
  MCPServerStatus,
} from "../contract/index.ts";
import { isMCPError } from "../errors/index.ts";

/** One server of a pool: its client, and the server in the pool's fleet. */
export class PoolMember {
  readonly options: MCPConnectionOptions;
  readonly client: MCPClient;
  readonly #fleet: ServerFleet;
  readonly #member: FleetMember;
  #failure: string | undefined;
  /** What was written last about a failure, to not repeat it until the server works again. */
  #written: string | undefined;

  constructor(options: MCPConnectionOptions, pool: MCPClientPoolOptions, fleet: ServerFleet) {
    const { servers: _, ...common } = pool;
    this.options = options;
    this.client = new MCPClient({ ...common, ...options });
    this.#fleet = fleet;
    const core = clientCoreOf(this.client);
    this.#member = new FleetMember({
      server: options.name,
      fleet,
      restarts: true,
      config: () => core.serverConfig(),
    });
    core.moveTo(this.#member);
  }

  /** Connects and lists the tools. Returns false if it could not be connected. Never rejects. */
  async connect(): Promise<boolean> {
    return this.#connectBy(() => this.#member.connect());
  }

  /** Like `connect`, but ends an open connection first. */
  async reconnect(): Promise<boolean> {
    return this.#connectBy(() => this.#member.reconnect());
  }

  /** Takes the client out of the pool and disconnects it. If it connects again, it does so outside the pool. */
  async leave(): Promise<void> {
    clientCoreOf(this.client).moveTo(undefined);
    await this.#member.retire();
  }

  /** The status of the server, with its counts. Never rejects. */
  async status(): Promise<MCPServerStatus> {
    const { client } = this;
    const name = client.serverName;
    const untrusted = untrustedServer({ ...this.options, id: name });
    if (untrusted) return { name, connected: false, state: "untrusted", error: displayLine(untrusted) };
    if (!client.connected) return { name, connected: false, error: this.#reason() };
    const [tools, resources, prompts] = await Promise.allSettled([
      client.listTools(),
      client.listResources(),
      client.listPrompts(),
    ]);
    const failed = [tools, resources, prompts].find((counted) => counted.status === "rejected");
    return definedMembers({
      name,
      connected: client.connected,
      toolCount: countOf(tools),
      resourceCount: countOf(resources),
      promptCount: countOf(prompts),
      error: failed && displayLine(failed.reason),
    });
  }

  /** Lists something of the server. A failure is reported and gives an empty list; a server that is not connected has none. */
  async listOf<Item>(list: (client: MCPClient) => Promise<Item[]>): Promise<Item[]> {
    if (!this.client.connected) return [];
    try {
      return await list(this.client);
    } catch (thrown) {
      this.#complain(displayLine(thrown));
      return [];
    }
  }

  /** True if the options are the same, so the connection can be kept. */
  hasOptions(options: MCPConnectionOptions): boolean {
    const mine = this.options;
    return (
      canonicalJson(comparable(mine)) === canonicalJson(comparable(options)) &&
      mine.auth === options.auth &&
      mine.tokenStore === options.tokenStore &&
      mine.transport === options.transport &&
      membersOf(mine.config).fetch === membersOf(options.config).fetch
    );
  }

  async #connectBy(step: () => Promise<unknown>): Promise<boolean> {
    this.#failure = undefined;
    const core = clientCoreOf(this.client);
    try {
      await step();
    } catch (thrown) {
      const untrusted = untrustedServer({ ...this.options, id: this.client.serverName });
      const error = untrusted ?? core.translate(thrown, { site: "connect" });
      this.#failure = displayLine(error);
      // The program itself disconnected or replaced the server meanwhile.
      const isWanted = isMCPError(error) && error.code === "NOT_CONNECTED";
      if (isWanted) core.note("error", this.#failure);
      else this.#complain(this.#failure);
      return false;
    }
    this.#written = undefined;
    await this.#member.settled();
    return true;
  }

  /** To the logger; without one, one line to standard error. */
  #complain(line: string): void {
    const core = clientCoreOf(this.client);
    core.note("error", line);
    if (core.handlers.logger || line === this.#written) return;
    this.#written = line;
    stderrLine(line);
  }

  /** The fleet's current fault; without one, why the last `connect` or `reconnect` failed. */
  #reason(): string {
    const name = this.client.serverName;
    const { fault, state } = this.#fleet.statusOf(name) ?? {};
    const core = clientCoreOf(this.client);
    if (fault) return displayLine(core.translate(fault, { site: "connect" }));
    if (state === "dormant")
      return displayLine(`server "${name}" was stopped because it was idle; the next call starts it`);
    return this.#failure ?? displayLine(core.notConnected());
  }
}

function countOf(listed: PromiseSettledResult<readonly unknown[]>): number | undefined {
  return listed.status === "fulfilled" ? listed.value.length : undefined;
}

/** One line for display. It may contain text of the server, so it is escaped. */
function displayLine(thrown: unknown): string {
  return escapeForDisplay(redactText(describeError(thrown)));
}

/** The options that can be compared as JSON. The configuration is not checked yet. */
function comparable(options: MCPConnectionOptions): unknown {
  const { name, config, timeout, includeTools, excludeTools, toolOverrides, passBaggage, pending } = options;
  const { url, fetch: _, ...launch } = membersOf(config);
  const address = url === undefined ? {} : { url: String(url) };
  const rest = { includeTools, excludeTools, toolOverrides, passBaggage, pending };
  return JSON.parse(JSON.stringify({ name, config: { ...launch, ...address }, timeout, ...rest }));
}

function membersOf(config: MCPServerConfig | undefined): Partial<HttpServerConfig> {
  return { ...(config as Partial<HttpServerConfig> | undefined) };
}

/**
 * Writes one line to standard error, as the sister editions do. The one place where library code prints: a program without a
 * `logger` would not learn why a server is missing. `console` ignores a closed standard error, which must not end the program.
 */
export function stderrLine(line: string): void {
  // oxlint-disable-next-line no-console -- see above
  console.error(line);
}
