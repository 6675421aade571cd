import { Listeners, settlesWithin } from "../../core/index.ts";
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
} from "../contract/index.ts";
import { createEraMemory, createServerEndpoint, type InjectedTransport } from "../endpoint/index.ts";
import { brokenTransport } from "./broken-transport.ts";
import { diffServers, rowsOf } from "./diff-servers.ts";
import type { FleetOptions } from "./fleet-options.ts";
import { GONE, unknownServer, unsupportedSharing } from "./refusals.ts";
import { resolveSupervision, type Supervision } from "./supervision-options.ts";
import { Supervisor } from "./supervisor.ts";

/** Many servers with one life, each under a supervisor of its own: started by itself, failing by itself. */
export class ServerFleetImpl implements ServerFleet {
  readonly #options: FleetOptions;
  readonly #rules: Supervision;
  readonly #changes = new Listeners<CatalogueChange>();
  readonly #statuses = new Listeners<EndpointStatus>();
  /** Those that are out and still finish their calls. */
  readonly #leaving = new Set<Supervisor>();
  #members: ReadonlyMap<string, Supervisor> = new Map();
  #config: BridgeConfig | undefined;

  constructor(options: FleetOptions = {}) {
    this.#options = { eras: createEraMemory(), ...options };
    this.#rules = resolveSupervision(options.supervision);
  }

  /** Connects to every server of a configuration at the same time. Never rejects for a bad server. */
  async start(config: BridgeConfig): Promise<void> {
    this.#config = config;
    const gone = this.#retireAll();
    const members = new Map([...rowsOf(config)].map(([id, row]) => [id, this.#enlist(row, gone)]));
    this.#succeed(members);
    await this.#started([...members.values()], gone);
  }

  async spinUp(): Promise<void> {
    if (!this.#config)
      throw new ProtocolFault("not_connected", "the fleet has no configuration yet; start it with one");
    await this.start(this.#config);
  }

  async tearDown(): Promise<void> {
    const gone = this.#retireAll();
    this.#succeed(new Map());
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
      const { share = "fleet" } = member.config;
      if (share !== "fleet") throw unsupportedSharing(server, share);
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

  async addServer(config: ServerConfig): Promise<void> {
    const rows = new Map([...rowsOf(this.#config), [config.id, config]]);
    this.#config = { ...this.#config, servers: [...rows.values()] };
    const old = this.#members.get(config.id);
    const member = this.#enlist(config, old && this.#retire(old));
    this.#members = new Map([...this.#members, [config.id, member]]);
    if (old) this.#forget(old);
    await member.start();
  }

  async removeServer(server: string): Promise<boolean> {
    const member = this.#members.get(server);
    if (!member) return false;
    this.#members = without(this.#members, server);
    this.#config = { ...this.#config, servers: [...without(rowsOf(this.#config), server).values()] };
    const gone = this.#retire(member);
    this.#forget(member);
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
    const leave = async (id: string): Promise<void> => {
      const member = before.get(id);
      if (member) await this.#retire(member, this.#rules.drainMs);
    };
    this.#config = config;
    this.#members = new Map(
      [...rowsOf(config)].map(([id, row]) => {
        const kept = report.kept.includes(id) ? before.get(id) : undefined;
        return [id, kept ?? this.#enlist(row, leave(id))];
      }),
    );
    const left = Promise.all(report.removed.map(leave));
    for (const id of [...report.removed, ...report.changed]) this.#forget(before.get(id));
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

  #enlist(config: ServerConfig, after?: Promise<unknown>): Supervisor {
    const { timeouts = this.#config?.timeouts, transport, ...rest } = this.#options;
    const options = { ...rest, ...(timeouts ? { timeouts } : {}) };
    return new Supervisor({
      config,
      rules: this.#rules,
      mint: () => createServerEndpoint(config, transportFor(config, transport), options),
      onTools: (tools) => this.#changes.emit({ server: config.id, tools }),
      onStatus: (status) => this.#statuses.emit(status),
      ...(after ? { after } : {}),
    });
  }

  /** Ends a server; its calls may end first if there is time for them. */
  async #retire(member: Supervisor, drainMs = 0): Promise<void> {
    this.#leaving.add(member);
    await member.stop(drainMs);
    this.#leaving.delete(member);
  }

  async #retireAll(): Promise<void> {
    const all = [...this.#members.values(), ...this.#leaving];
    await Promise.all(all.map((member) => this.#retire(member)));
  }

  /** Nothing is waited for between retiring the old members and this, so that no two starts at once lose each other's. */
  #succeed(members: ReadonlyMap<string, Supervisor>): void {
    const before = this.#members;
    this.#members = members;
    for (const member of before.values()) this.#forget(member);
  }

  /** The tools of one that is no longer a member are gone at once, also while it still finishes its calls. */
  #forget(member: Supervisor | undefined): void {
    if (member && member.tools.length > 0) this.#changes.emit({ server: member.config.id, tools: [] });
  }
}

function transportFor(config: ServerConfig, give: FleetOptions["transport"]): InjectedTransport | undefined {
  try {
    return give?.(config);
  } catch (thrown) {
    return brokenTransport(thrown);
  }
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  return new Map([...map].filter(([id]) => id !== key));
}
