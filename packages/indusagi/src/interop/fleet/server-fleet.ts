import { Listeners, settlesWithin, untilAborted } from "../../core/index.ts";
import type { Caller, LogLevel } from "../../runtime/index.ts";
import {
  type AcquireOptions,
  type BridgeConfig,
  type CatalogueChange,
  type EndpointStatus,
  type ExtensionKey,
  type FleetLog,
  type FleetNotification,
  type FleetStatus,
  isProtocolFault,
  isSharedByAll,
  type Lease,
  ProtocolFault,
  type ReloadReport,
  type RemoteTool,
  type ServerConfig,
  type ServerEndpoint,
  type ServerFleet,
  type WithheldTool,
} from "../contract/index.ts";
import { createEraMemory } from "../endpoint/index.ts";
import { type CheckedRow, checkRow, checkRows, diffServers, type FleetRows } from "./check-rows.ts";
import { ClientInstances, ownerOf, STANDARD_INSTANCES } from "./client-instances.ts";
import { FleetFeed } from "./feed/fleet-feed.ts";
import { type FleetOptions, resolveSupervision, type Supervision } from "./fleet-options.ts";
import { GONE, unknownServer } from "./refusals.ts";
import { resolveStarts } from "./starts/start-options.ts";
import { createStartMemory, StartPlan } from "./starts/start-plan.ts";
import type { Supervisor } from "./supervisor.ts";
import { SupervisorFactory } from "./supervisor-factory.ts";

/** Resolves when every server is ready or has failed, or after `waitMs`. */
export async function startServerFleet(
  config: BridgeConfig,
  options: FleetOptions = {},
): Promise<ServerFleetImpl> {
  const fleet = new ServerFleetImpl(options);
  await fleet.start(config);
  return fleet;
}

/** The same array each time: its identity shows that nothing changed. */
const NOTHING: readonly RemoteTool[] = [];

/** A set of servers that start and stop together. Each has its own supervisor, so they fail independently. */
export class ServerFleetImpl implements ServerFleet {
  readonly #options: FleetOptions;
  readonly #rules: Supervision;
  readonly #factory: SupervisorFactory;
  readonly #changes = new Listeners<CatalogueChange>();
  readonly #statuses = new Listeners<EndpointStatus>();
  readonly #feed = new FleetFeed();
  readonly #instances: ClientInstances<Supervisor>;
  readonly #leaving = new LeavingServers(this.#feed);
  /** The extensions of clients that get lists of their own. */
  readonly #classes = new Set<ExtensionKey>();
  #members: ReadonlyMap<string, Supervisor> = new Map();
  /** What `spinUp` starts again. */
  #configured: FleetRows | undefined;

  constructor(options: FleetOptions = {}) {
    this.#options = { ...options, eras: options.eras ?? createEraMemory() };
    this.#rules = resolveSupervision(options.supervision);
    const starts = resolveStarts(options.startConcurrency, options.starts);
    this.#factory = new SupervisorFactory({
      fleet: this.#options,
      rules: this.#rules,
      starts,
      plan: new StartPlan({
        settings: starts,
        history: options.startHistory ?? createStartMemory(),
        clock: this.#rules.clock,
      }),
      feed: this.#feed,
      timeouts: () => this.#configured?.timeouts,
    });
    const { max = STANDARD_INSTANCES.max } = options.instances ?? {};
    this.#instances = new ClientInstances(max, (instance) => void this.#leaving.retire(instance));
    options.toolReview?.onChange((server) => this.#members.get(server)?.reviewAgain());
  }

  /** Connects to every server of a configuration at the same time. Never rejects for a bad server. */
  async start(config: BridgeConfig): Promise<void> {
    await this.#startRows({ rows: checkRows(config), timeouts: config.timeouts });
  }

  async spinUp(): Promise<void> {
    if (!this.#configured)
      throw new ProtocolFault("not_connected", "the fleet has no configuration yet; start it with one");
    await this.#startRows(this.#configured);
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
    return new Map([...this.#members].map(([id, member]) => [id, this.#memberStatus(member)]));
  }

  statusOf(server: string): EndpointStatus | undefined {
    const member = this.#members.get(server);
    return member && this.#memberStatus(member);
  }

  tryAcquire(server: string, { signal, caller, tool }: AcquireOptions = {}): Lease | undefined {
    const member = this.#members.get(server);
    // The other cases may wait, or be refused with a reason.
    if (!member || signal?.aborted || caller?.logLevel || ownerOf(member.config, caller)) return undefined;
    return member.tryAcquire(tool);
  }

  async acquire(server: string, options: AcquireOptions = {}): Promise<Lease> {
    const { caller } = options;
    for (;;) {
      const member = this.#memberFor(server, caller);
      try {
        const lease = await member.acquire(options);
        if (caller?.logLevel) await this.#feed.passLevel(member.feed, caller.logLevel);
        return caller?.isSingle && member.config.share === "session"
          ? this.#leaseOfRequest(lease, member)
          : lease;
      } catch (thrown) {
        const isGone = isProtocolFault(thrown) && thrown.reason === GONE;
        if (!isGone || this.#memberFor(server, caller) === member) throw thrown;
      }
    }
  }

  catalogue(server: string, extensions: ExtensionKey = ""): readonly RemoteTool[] {
    return this.#members.get(server)?.toolsFor(extensions) ?? NOTHING;
  }

  withheld(server: string, extensions?: ExtensionKey): readonly WithheldTool[] {
    return this.#members.get(server)?.withheld(extensions) ?? [];
  }

  async listFor(extensions: ExtensionKey): Promise<void> {
    if (extensions === "") return;
    this.#classes.add(extensions);
    await Promise.all([...this.#members.values()].map((member) => member.listFor(extensions)));
  }

  async addServer(config: ServerConfig): Promise<void> {
    const { rows = new Map(), timeouts } = this.#configured ?? {};
    const row = checkRow(config, rows.size + 1, rows);
    const { id } = row.config;
    this.#configured = { rows: new Map([...rows, [id, row]]), timeouts };
    const old = this.#members.get(id);
    if (old) void this.#retireServer(old);
    const member = this.#supervise(row, this.#leaving.ended(id));
    this.#members = new Map([...this.#members, [id, member]]);
    if (old) this.#withdrawTools(old);
    await member.start();
  }

  async removeServer(server: string): Promise<boolean> {
    const member = this.#members.get(server);
    if (!member) return false;
    this.#members = without(this.#members, server);
    const { rows = new Map(), timeouts } = this.#configured ?? {};
    this.#configured = { rows: without(rows, server), timeouts };
    const gone = this.#retireServer(member);
    this.#withdrawTools(member);
    await gone;
    return true;
  }

  async restart(server: string): Promise<boolean> {
    const member = this.#members.get(server);
    const instances = this.#instances
      .removeOfServer(server)
      .map((instance) => this.#leaving.retire(instance));
    await Promise.all([member?.restart(), ...instances]);
    return member !== undefined;
  }

  async reload(config: BridgeConfig): Promise<ReloadReport> {
    const before = this.#members;
    const { rows = new Map(), timeouts } = this.#configured ?? {};
    const running = new Map([...rows].filter(([id]) => before.has(id)));
    const next = { rows: checkRows(config), timeouts: config.timeouts };
    const report = diffServers({ rows: running, timeouts }, next);
    const retire = (id: string): Promise<unknown> | undefined => {
      const member = before.get(id);
      if (member) void this.#retireServer(member, this.#rules.drainMs);
      return this.#leaving.ended(id);
    };
    this.#configured = next;
    this.#members = new Map(
      [...next.rows].map(([id, row]) => {
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

  onNotification(listener: (notification: FleetNotification) => void): () => void {
    return this.#feed.onNotification(listener);
  }

  onLog(listener: (log: FleetLog) => void): () => void {
    return this.#feed.onLog(listener);
  }

  async watchResource(
    server: string,
    uri: string,
    options: AcquireOptions = {},
  ): Promise<() => Promise<void>> {
    const { signal, caller } = options;
    const member = this.#memberFor(server, caller);
    // Others may wait for the same subscription, so an abort ends only this wait.
    const watching = member.feed.watch(uri, () => member.acquire(caller ? { caller } : {}));
    try {
      return await untilAborted(watching, signal);
    } catch (thrown) {
      watching.then((release) => release()).catch(() => {});
      throw thrown;
    }
  }

  setLogLevel(client: string, level: LogLevel | undefined): Promise<void> {
    return this.#feed.setLevel(client, level);
  }

  rootsChanged(client?: string): void {
    const own = client === undefined ? this.#instances.all() : this.#instances.ofClient(client);
    const shared = client === undefined ? this.#members.values() : [];
    for (const { feed } of [...shared, ...own]) feed.rootsChanged();
  }

  async endClient(client: string): Promise<void> {
    const own = this.#instances.removeOfClient(client).map((instance) => this.#leaving.retire(instance));
    await Promise.all([this.#feed.setLevel(client, undefined), ...own]);
  }

  /** The instance for a caller. A server that must not start has no instances: its own supervisor refuses the call. */
  #memberFor(server: string, caller: Caller | undefined): Supervisor {
    const member = this.#members.get(server);
    if (!member) throw unknownServer(server);
    const { config } = member;
    const owner = ownerOf(config, caller);
    if (!owner || !member.canStart) return member;
    return this.#instances.of(server, owner, () => {
      const instance: Supervisor = this.#factory.instance(config, owner, () => {
        if (this.#instances.remove(instance)) void this.#leaving.retire(instance);
      });
      return instance;
    });
  }

  /** The caller's key belongs to one request, so no later call can reach this instance: it ends with its last lease. */
  #leaseOfRequest(lease: Lease, instance: Supervisor): Lease {
    return {
      endpoint: lease.endpoint,
      release: () => {
        lease.release();
        if (!instance.isInUse && this.#instances.remove(instance)) void this.#leaving.retire(instance);
      },
    };
  }

  #memberStatus(member: Supervisor): EndpointStatus {
    const { id } = member.config;
    return isSharedByAll(member.config)
      ? member.status()
      : { ...member.status(), instances: this.#instances.count(id) };
  }

  async #startRows(configured: FleetRows): Promise<void> {
    this.#configured = configured;
    const gone = this.#retireAll();
    const members = new Map([...configured.rows].map(([id, row]) => [id, this.#supervise(row, gone)]));
    this.#replaceMembers(members);
    await this.#started([...members.values()], gone);
  }

  async #started(members: readonly Supervisor[], after?: Promise<unknown>): Promise<void> {
    const started = Promise.all(members.map((member) => member.start()));
    await after;
    const { waitMs } = this.#options;
    await (waitMs === undefined ? started : settlesWithin(started, waitMs));
  }

  #supervise(row: CheckedRow, after?: Promise<unknown>): Supervisor {
    const server = row.config.id;
    const member = this.#factory.member(row, {
      after,
      onTools: (tools, extensions) =>
        this.#changes.emit({ server, tools, ...(extensions !== undefined && { extensions }) }),
      onStatus: (status) => this.#statuses.emit(status),
    });
    for (const extensions of this.#classes) void member.listFor(extensions);
    return member;
  }

  /** Ends a server and the instances of its clients. Never rejects. */
  async #retireServer(member: Supervisor, drainMs = 0): Promise<void> {
    const all = [member, ...this.#instances.removeOfServer(member.config.id)];
    await Promise.all(all.map((each) => this.#leaving.retire(each, drainMs)));
  }

  async #retireAll(): Promise<void> {
    const instances = [...this.#members.keys()].flatMap((id) => this.#instances.removeOfServer(id));
    const all = [...this.#members.values(), ...instances, ...this.#leaving.all()];
    await Promise.all(all.map((member) => this.#leaving.retire(member)));
  }

  /** Must follow `#retireAll` without an await in between: a concurrent start must see these members. */
  #replaceMembers(members: ReadonlyMap<string, Supervisor>): void {
    const before = this.#members;
    this.#members = members;
    for (const member of before.values()) this.#withdrawTools(member);
  }

  /** Withdraws a former member's tools at once, even while its last calls finish. */
  #withdrawTools(member: Supervisor | undefined): void {
    if (!member) return;
    const server = member.config.id;
    if (member.tools.length > 0) this.#changes.emit({ server, tools: [] });
    for (const extensions of this.#classes)
      if (member.toolsFor(extensions) !== member.tools) this.#changes.emit({ server, tools: [], extensions });
  }
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  return new Map([...map].filter(([id]) => id !== key));
}

/** Former members of a fleet that are still finishing their calls. */
class LeavingServers {
  readonly #feed: FleetFeed;
  /** Each with a promise for its end. */
  readonly #leaving = new Map<Supervisor, Promise<void>>();

  constructor(feed: FleetFeed) {
    this.#feed = feed;
  }

  all(): readonly Supervisor[] {
    return [...this.#leaving.keys()];
  }

  /** Ends one instance of a server; its running calls may finish within `drainMs`. Never rejects. */
  retire(member: Supervisor, drainMs = 0): Promise<void> {
    const ended = member.stop(drainMs).finally(() => this.#leaving.delete(member));
    this.#feed.remove(member.feed);
    this.#leaving.set(member, ended);
    return ended;
  }

  /** Resolves when the last former server with this id has stopped; `undefined` if none is running. */
  ended(id: string): Promise<unknown> | undefined {
    const former = [...this.#leaving].filter(([{ config }]) => config.id === id);
    return former.length > 0 ? Promise.all(former.map(([, ended]) => ended)) : undefined;
  }
}
