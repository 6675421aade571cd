import { Listeners, settlesWithin } from "../../core/index.ts";
import { nextTurn } from "../../core/internal.ts";
import {
  type AcquireOptions,
  type BridgeConfig,
  type CatalogueChange,
  type EndpointStatus,
  type FleetStatus,
  isProtocolFault,
  type Lease,
  ProtocolFault,
  type ReloadReport,
  type RemoteTool,
  type ServerConfig,
  type ServerEndpoint,
  type ServerFleet,
  type TokenProvider,
  type ToolDefinition,
  type WithheldTool,
} from "../contract/index.ts";
import {
  createEraMemory,
  createServerEndpoint,
  describeOptions,
  type EndpointOptions,
  type InjectedTransport,
  toolsFromDefinitions,
} from "../endpoint/index.ts";
import { diffServers, rowsOf } from "./diff-servers.ts";
import { type FleetOptions, resolveSupervision, rulesFor, type Supervision } from "./fleet-options.ts";
import { GONE, unknownServer } from "./refusals.ts";
import { createStartMemory } from "./starts/start-memory.ts";
import { resolveStarts, type StartSettings } from "./starts/start-options.ts";
import { StartPlan } from "./starts/start-plan.ts";
import { Supervisor } from "./supervisor.ts";

/** Resolves when every server is ready or has failed, or after `waitMs`. */
export async function startServerFleet(
  config: BridgeConfig,
  options: FleetOptions = {},
): Promise<ServerFleetImpl> {
  const fleet = new ServerFleetImpl(options);
  await fleet.start(config);
  return fleet;
}

/** Many servers that start and end together, each with its own supervisor, so that they fail independently. */
export class ServerFleetImpl implements ServerFleet {
  readonly #options: FleetOptions;
  readonly #rules: Supervision;
  readonly #starts: StartSettings;
  readonly #plan: StartPlan;
  readonly #changes = new Listeners<CatalogueChange>();
  readonly #statuses = new Listeners<EndpointStatus>();
  /** Supervisors that are no longer members and still finish their calls, with their end. */
  readonly #leaving = new Map<Supervisor, Promise<void>>();
  #members: ReadonlyMap<string, Supervisor> = new Map();
  #config: BridgeConfig | undefined;

  constructor(options: FleetOptions = {}) {
    this.#options = { eras: createEraMemory(), ...options };
    this.#rules = resolveSupervision(options.supervision);
    this.#starts = resolveStarts(options.startConcurrency, options.starts);
    this.#plan = new StartPlan({
      settings: this.#starts,
      history: options.startHistory ?? createStartMemory(),
      clock: this.#rules.clock,
    });
    options.toolReview?.onChange((server) => this.#members.get(server)?.reviewAgain());
  }

  /** Connects to every server of a configuration at the same time. Never rejects for a bad server. */
  async start(config: BridgeConfig): Promise<void> {
    this.#config = config;
    const gone = this.#retireAll();
    const members = new Map([...rowsOf(config)].map(([id, row]) => [id, this.#supervise(row, gone)]));
    this.#replaceMembers(members);
    await this.#started([...members.values()], gone);
  }

  async spinUp(): Promise<void> {
    if (!this.#config)
      throw new ProtocolFault("not_connected", "the fleet has no configuration yet; start it with one");
    await this.start(this.#config);
  }

  async tearDown(): Promise<void> {
    const gone = this.#retireAll();
    this.#replaceMembers(new Map());
    await gone;
  }

  endpoint(server: string): ServerEndpoint | undefined {
    return this.#members.get(server)?.endpoint;
  }

  endpoints(): readonly ServerEndpoint[] {
    return [...this.#members.values()].map((member) => member.endpoint);
  }

  status(): FleetStatus {
    return new Map([...this.#members].map(([id, member]) => [id, member.status()]));
  }

  async acquire(server: string, options: AcquireOptions = {}): Promise<Lease> {
    for (;;) {
      const member = this.#members.get(server);
      if (!member) throw unknownServer(server);
      try {
        return await member.acquire(options);
      } catch (thrown) {
        const isGone = isProtocolFault(thrown) && thrown.reason === GONE;
        if (!isGone || this.#members.get(server) === member) throw thrown;
      }
    }
  }

  catalogue(server: string): readonly RemoteTool[] {
    return this.#members.get(server)?.tools ?? [];
  }

  withheld(server: string): readonly WithheldTool[] {
    return this.#members.get(server)?.withheld ?? [];
  }

  async addServer(config: ServerConfig): Promise<void> {
    const rows = new Map([...rowsOf(this.#config), [config.id, config]]);
    this.#config = { ...this.#config, servers: [...rows.values()] };
    const old = this.#members.get(config.id);
    if (old) void this.#retire(old);
    const member = this.#supervise(config, this.#ended(config.id));
    this.#members = new Map([...this.#members, [config.id, member]]);
    if (old) this.#withdrawTools(old);
    await member.start();
  }

  async removeServer(server: string): Promise<boolean> {
    const member = this.#members.get(server);
    if (!member) return false;
    this.#members = without(this.#members, server);
    this.#config = { ...this.#config, servers: [...without(rowsOf(this.#config), server).values()] };
    const gone = this.#retire(member);
    this.#withdrawTools(member);
    await gone;
    return true;
  }

  async restart(server: string): Promise<boolean> {
    const member = this.#members.get(server);
    await member?.restart();
    return member !== undefined;
  }

  async reload(config: BridgeConfig): Promise<ReloadReport> {
    const running = { ...this.#config, servers: [...this.#members.values()].map((member) => member.config) };
    const report = diffServers(running, config);
    const before = this.#members;
    const retire = (id: string): Promise<unknown> | undefined => {
      const member = before.get(id);
      if (member) void this.#retire(member, this.#rules.drainMs);
      return this.#ended(id);
    };
    this.#config = config;
    this.#members = new Map(
      [...rowsOf(config)].map(([id, row]) => {
        const kept = report.kept.includes(id) ? before.get(id) : undefined;
        return [id, kept ?? this.#supervise(row, retire(id))];
      }),
    );
    const left = Promise.all(report.removed.map(async (id) => retire(id)));
    for (const id of [...report.removed, ...report.changed]) this.#withdrawTools(before.get(id));
    const fresh = [...report.added, ...report.changed].flatMap((id) => this.#members.get(id) ?? []);
    await Promise.all([left, this.#started(fresh)]);
    return report;
  }

  onChange(listener: (change: CatalogueChange) => void): () => void {
    return this.#changes.add(listener);
  }

  onStatus(listener: (status: EndpointStatus) => void): () => void {
    return this.#statuses.add(listener);
  }

  async #started(members: readonly Supervisor[], after?: Promise<unknown>): Promise<void> {
    const started = Promise.all(members.map((member) => member.start()));
    await after;
    const { waitMs } = this.#options;
    await (waitMs === undefined ? started : settlesWithin(started, waitMs));
  }

  #supervise(config: ServerConfig, after?: Promise<unknown>): Supervisor {
    const { transport, catalogueSeed, onListed, toolReview } = this.#options;
    const tokens = this.#tokensFor(config);
    const options = (): EndpointOptions => this.#endpointOptions(config, tokens);
    const describe = (given: readonly ToolDefinition[]): readonly RemoteTool[] =>
      toolsFromDefinitions(given, describeOptions(config, options()));
    const seed = catalogueSeed?.get(config.id);
    // A client that waits for these tools gets them before processes are started.
    const startsAfter = seed ? Promise.all([after, nextTurn().then(nextTurn)]) : after;
    return new Supervisor({
      config,
      ...(toolReview && { review: { by: toolReview, describe: (tool) => describe([tool])[0] } }),
      rules: rulesFor(config, this.#rules),
      plan: this.#plan,
      mint: () => createServerEndpoint(config, transportFor(config, transport), options()),
      ...(seed ? { seed: describe(seed) } : {}),
      onListed: async (endpoint) => {
        await onListed?.(endpoint);
      },
      ...(tokens?.onLogin ? { onLogin: (listener) => tokens.onLogin?.(listener) ?? (() => {}) } : {}),
      onTools: (tools) => this.#changes.emit({ server: config.id, tools }),
      onStatus: (status) => this.#statuses.emit(status),
      ...(startsAfter ? { after: startsAfter } : {}),
    });
  }

  /** Only a server behind HTTP can receive a token, and only one that is its own. */
  #tokensFor(config: ServerConfig): TokenProvider | undefined {
    if (config.kind === "stdio") return undefined;
    const { auth, endpointOptions } = this.#options;
    return endpointOptions?.(config).auth ?? auth?.(config);
  }

  /** The options of the next endpoint of a server. A first start that can install a package gets more time to connect. */
  #endpointOptions(config: ServerConfig, tokens: TokenProvider | undefined): EndpointOptions {
    const { transport: _, auth: _perServer, endpointOptions, ...shared } = this.#options;
    const { timeouts: defaults = this.#config?.timeouts, ...options } = {
      ...shared,
      ...(tokens ? { auth: tokens } : {}),
      ...endpointOptions?.(config),
    };
    if (this.#plan.installs(config) === undefined)
      return { ...options, ...(defaults ? { timeouts: defaults } : {}) };
    const connectMs = Math.max(this.#starts.installMs, defaults?.connectMs ?? 0);
    return { ...options, timeouts: { ...defaults, connectMs } };
  }

  /** Ends a server; its running calls may finish within `drainMs`. Never rejects. */
  #retire(member: Supervisor, drainMs = 0): Promise<void> {
    const ended = member.stop(drainMs).finally(() => this.#leaving.delete(member));
    this.#leaving.set(member, ended);
    return ended;
  }

  /** Resolves when no former server with this id is running any more; `undefined` if none is. */
  #ended(id: string): Promise<unknown> | undefined {
    const former = [...this.#leaving].filter(([{ config }]) => config.id === id);
    return former.length > 0 ? Promise.all(former.map(([, ended]) => ended)) : undefined;
  }

  async #retireAll(): Promise<void> {
    const all = [...this.#members.values(), ...this.#leaving.keys()];
    await Promise.all(all.map((member) => this.#retire(member)));
  }

  /** Must follow `#retireAll` without an await between them: a second start at the same time must see these members. */
  #replaceMembers(members: ReadonlyMap<string, Supervisor>): void {
    const before = this.#members;
    this.#members = members;
    for (const member of before.values()) this.#withdrawTools(member);
  }

  /** Withdraws the tools of a former member at once, also while its last calls finish. */
  #withdrawTools(member: Supervisor | undefined): void {
    if (member && member.tools.length > 0) this.#changes.emit({ server: member.config.id, tools: [] });
  }
}

/** If the factory throws, a transport that fails to start: then this server fails like any other, and no other is affected. */
function transportFor(
  config: ServerConfig,
  create: FleetOptions["transport"],
): InjectedTransport | undefined {
  try {
    return create?.(config);
  } catch (thrown) {
    const refuse = async (): Promise<never> => {
      throw thrown;
    };
    return { start: refuse, send: refuse, close: async () => {} };
  }
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  return new Map([...map].filter(([id]) => id !== key));
}
