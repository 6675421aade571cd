import type { Msg } from "@nats-io/transport-node";
import { describeError } from "indusagi/core";
import { ProtocolFault, type ProviderHost, type RunningProviderHost } from "indusagi/interop";
import type { ClusterConnection } from "./connect-cluster.ts";
import {
  Bucket,
  type NodeRecord,
  type OpenReply,
  type OpenRequest,
  type OwnerRecord,
  ownerKey,
  StateKey,
  subjects,
} from "./contract.ts";
import { type Exchange, openExchange } from "./exchange.ts";
import type { NatsLink } from "./link.ts";
import { type Mirror, openMirror, parseNode } from "./mirror.ts";
import { type NodeLease, takeLease } from "./node-lease.ts";
import { type ClusterRow, clusterRows } from "./rows.ts";

/** What runs the servers of a worker. */
export interface WorkerServers {
  /** Runs exactly these rows. Resolves when those that are no longer among them have ended; returns why rows cannot be used. */
  use(rows: readonly ClusterRow[]): Promise<ReadonlyMap<string, string>>;
  /** A server as a host for links. */
  host(server: string): ProviderHost | undefined;
  /** Resolves when a server has started or has failed, but not later than after this time. */
  settled(server: string, waitMs: number): Promise<void>;
  /** Why a server cannot be used until somebody logs in, and how; undefined if it does not wait for a login. */
  missingLogin(server: string): MissingLogin | undefined;
  /** Calls the listener with each server that begins or ends to wait for a login. */
  onMissingLogin(listener: (server: string) => void): void;
}

export interface MissingLogin {
  readonly problem: string;
  readonly login: string;
}

export interface WorkerNodeOptions {
  readonly name: string;
  readonly labels: readonly string[];
  readonly capacity: number;
  readonly servers: WorkerServers;
  /** How long calls may go on when the worker is drained. */
  readonly drainMs: number;
  /** A server that no gateway uses for this long is given up. */
  readonly idleMs: number;
  readonly report: (message: string) => void;
  /** Called with each renewal of the lease, and for how long the process may stand still after it. */
  readonly onRenewed?: ((mayStallMs: number) => void) | undefined;
  /** Called when the lease was lost, after all servers have ended. */
  readonly onFenced: (why: string) => void;
}

/** A worker in the cluster. */
export interface WorkerNode extends AsyncDisposable {
  readonly id: string;
  /** Whether it takes servers: its lease is sure and it is not drained. */
  readonly isTaking: boolean;
  /** The servers that it owns. */
  owned(): readonly string[];
  /** Gives away all servers: calls under way may finish. It takes no more. */
  drain(): Promise<void>;
}

/** How long a worker waits for a change of the configuration that a gateway knows already. */
const ROW_MS = 5_000;
const IDLE_CHECKS = 4;
/** A server that soon says that it needs a login gets no link. */
const SETTLE_MS = 2_000;

export async function openWorkerNode(
  connection: ClusterConnection,
  options: WorkerNodeOptions,
): Promise<WorkerNode> {
  const { name, labels, capacity, report } = options;
  await connection.id();
  const [state, nodes] = await Promise.all([
    openMirror(await connection.bucket(Bucket.STATE), (text) => text, report),
    openMirror(await connection.bucket(Bucket.NODES), parseNode, report),
  ]);
  const owners = await connection.bucket(Bucket.OWNERS);
  const leases = await connection.bucket(Bucket.NODES);
  let worker: Worker | undefined;
  const lease = await takeLease(connection, {
    role: "worker",
    name,
    details: { labels, capacity, load: 0 },
    report,
    onRenewed: options.onRenewed,
    onLost: (why) => void worker?.fence(why),
  });
  worker = new Worker({ connection, state, nodes, owners, leases, lease, options });
  return worker;
}

interface WorkerParts {
  readonly connection: ClusterConnection;
  readonly state: Mirror<string>;
  readonly nodes: Mirror<NodeRecord>;
  readonly owners: Awaited<ReturnType<ClusterConnection["bucket"]>>;
  readonly leases: Awaited<ReturnType<ClusterConnection["bucket"]>>;
  readonly lease: NodeLease;
  readonly options: WorkerNodeOptions;
}

interface ServedLink {
  readonly gateway: string;
  running?: RunningProviderHost;
  /** The gateway sends no more requests, and has all answers. */
  isDrained?: boolean;
  /** It is closed as soon as it is drained. */
  isClosing?: boolean;
}

interface OwnedServer {
  readonly revision: number;
  readonly links: Map<NatsLink, ServedLink>;
  /** Since when no link uses it. */
  idleSinceMs: number | undefined;
}

class Worker implements WorkerNode {
  readonly #parts: WorkerParts;
  readonly #exchange: Exchange;
  readonly #owned = new Map<string, OwnedServer>();
  readonly #claims = new Map<string, Promise<OpenReply>>();
  readonly #idle: NodeJS.Timeout;
  #rows: ReadonlyMap<string, ClusterRow>;
  #problems: ReadonlyMap<string, string> = new Map();
  #using: Promise<unknown> = Promise.resolve();
  #isDraining = false;
  #isOver = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { connection, state, nodes, lease, options } = parts;
    this.#rows = clusterRows(state.get(StateKey.SERVERS) ?? "");
    state.onChange((key) => {
      if (key === StateKey.SERVERS) this.#configured(clusterRows(state.get(key) ?? ""));
    });
    nodes.onChange((key) => {
      if (nodes.get(key) === undefined) this.#gatewayGone(key);
    });
    this.#exchange = openExchange(connection.nats, {
      role: "worker",
      id: lease.id,
      onMessage: (message) => void this.#answer(message),
    });
    options.servers.onMissingLogin((server) => {
      if (options.servers.missingLogin(server)) this.#closeLinks(server);
      else this.#tellOfLogin(server);
    });
    this.#idle = setInterval(() => void this.#giveUpIdle(), Math.max(50, options.idleMs / IDLE_CHECKS));
    this.#idle.unref();
  }

  get id(): string {
    return this.#parts.lease.id;
  }

  get isTaking(): boolean {
    return !this.#isDraining && !this.#isOver && this.#parts.lease.isSure;
  }

  owned(): readonly string[] {
    return [...this.#owned.keys()];
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    const { lease, options } = this.#parts;
    await lease.tell({ draining: true, load: this.#owned.size }).catch(() => {});
    const untilMs = performance.now() + options.drainMs;
    await Promise.all([...this.#owned].map(([server, owned]) => this.#giveAway(server, owned, untilMs)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    await this.drain();
    this.#close();
    await this.#parts.lease.release();
  }

  /** Nobody counts on this worker any more: another one may start its servers soon. */
  async fence(why: string): Promise<void> {
    if (this.#isOver) return;
    const { options } = this.#parts;
    options.report(`${why}; its servers are ended, because another worker may start them`);
    this.#close();
    const owned = [...this.#owned];
    this.#owned.clear();
    for (const [server, { links }] of owned) for (const link of links.keys()) link.end(fenced(server));
    await this.#use();
    options.onFenced(why);
  }

  #close(): void {
    this.#isOver = true;
    clearInterval(this.#idle);
    this.#exchange[Symbol.dispose]();
    this.#parts.state[Symbol.dispose]();
    this.#parts.nodes[Symbol.dispose]();
  }

  async #answer(message: Msg): Promise<void> {
    const what = message.subject.split(".").at(-1);
    try {
      if (what === "open") message.respond(JSON.stringify(await this.#open(message.json<OpenRequest>())));
      if (what === "drain") {
        message.respond(JSON.stringify({ ok: true, servers: this.owned() }));
        await this.drain();
      }
    } catch (thrown) {
      const reply: OpenReply = { problem: describeError(thrown), mayHelp: "other" };
      if (what === "open") message.respond(JSON.stringify(reply));
    }
  }

  async #open(request: OpenRequest): Promise<OpenReply> {
    const { server, gateway, link: id } = request;
    if (!this.isTaking)
      return { problem: `worker ${this.#parts.options.name} takes no servers now`, mayHelp: "other" };
    const row = await this.#rowAs(request);
    if (!row)
      return { problem: "its row is not in the configuration that the worker knows", mayHelp: "other" };
    const claim = this.#claims.get(server) ?? this.#claim(server);
    this.#claims.set(server, claim);
    const claimed = await claim.finally(() => this.#claims.delete(server));
    if (!("ok" in claimed)) return claimed;
    const problem = this.#problems.get(server);
    if (problem !== undefined) return { problem, mayHelp: "other" };
    await this.#parts.options.servers.settled(server, SETTLE_MS);
    const missing = this.#parts.options.servers.missingLogin(server);
    if (missing) return missing;
    const owned = this.#owned.get(server);
    const host = this.#parts.options.servers.host(server);
    if (!owned || !host) return { problem: "the worker is giving it away", mayHelp: "other" };
    this.#serve({ server, owned, host, gateway, id });
    return { ok: true };
  }

  #serve({
    server,
    owned,
    host,
    gateway,
    id,
  }: {
    readonly server: string;
    readonly owned: OwnedServer;
    readonly host: ProviderHost;
    readonly gateway: string;
    readonly id: string;
  }): void {
    const entry: ServedLink = { gateway };
    const link = this.#exchange.link(
      id,
      { role: "gateway", id: gateway },
      {
        server,
        onEnd: () => {
          owned.links.delete(link);
          if (owned.links.size === 0) owned.idleSinceMs = performance.now();
        },
        onDrained: () => {
          entry.isDrained = true;
          if (entry.isClosing) void link.close();
        },
      },
    );
    owned.links.set(link, entry);
    owned.idleSinceMs = undefined;
    host.connect(link).then(
      (running) => (entry.running = running),
      (thrown: unknown) => {
        this.#parts.options.report(`a link for server "${server}" failed: ${describeError(thrown)}`);
        void link.close();
      },
    );
  }

  /** The row that the gateway means: a change may arrive here a little later. */
  async #rowAs({ server, row: hash }: OpenRequest): Promise<ClusterRow | undefined> {
    const untilMs = performance.now() + ROW_MS;
    for (;;) {
      const row = this.#rows.get(server);
      if (row?.hash === hash || performance.now() > untilMs) return row;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Makes this worker the owner of a server, unless another one that lives is. */
  async #claim(server: string): Promise<OpenReply> {
    if (this.#owned.has(server)) return { ok: true };
    const { owners, leases, lease, options } = this.#parts;
    const { name, capacity } = options;
    if (this.#owned.size >= capacity) return { problem: `worker ${name} is full`, mayHelp: "other" };
    const key = ownerKey(server);
    const record = JSON.stringify({ server, worker: lease.id } satisfies OwnerRecord);
    const before = await owners.get(key);
    const isFree = !before || before.operation !== "PUT";
    const owner = isFree ? undefined : before.json<OwnerRecord>().worker;
    if (owner !== undefined && owner !== lease.id) {
      const living = await leases.get(owner);
      if (living?.operation === "PUT") return { elsewhere: owner };
    }
    let revision: number;
    try {
      revision = isFree
        ? await owners.create(key, record)
        : await owners.update(key, record, before.revision);
    } catch {
      const now = await owners.get(key);
      const winner = now?.operation === "PUT" ? now.json<OwnerRecord>().worker : undefined;
      if (winner !== lease.id)
        return winner === undefined
          ? { problem: "its owner changes", mayHelp: "other" }
          : { elsewhere: winner };
      revision = now?.revision ?? 0;
    }
    // Reads it back: a leader that was replaced may have acknowledged in vain.
    const kept = await owners.get(key);
    if (kept?.operation !== "PUT" || kept.json<OwnerRecord>().worker !== lease.id)
      return { problem: "its owner changes", mayHelp: "other" };
    if (!this.isTaking) {
      await owners.delete(key, { previousSeq: kept.revision }).catch(() => {});
      return { problem: `worker ${name} takes no servers now`, mayHelp: "other" };
    }
    this.#owned.set(server, {
      revision: kept.revision ?? revision,
      links: new Map(),
      idleSinceMs: performance.now(),
    });
    void lease.tell({ load: this.#owned.size }).catch(() => {});
    await this.#use();
    return { ok: true };
  }

  /** Runs the servers that this worker owns, and no others. */
  #use(): Promise<void> {
    const using = this.#using.then(async () => {
      const rows = [...this.#owned.keys()].flatMap((server) => this.#rows.get(server) ?? []);
      this.#problems = await this.#parts.options.servers.use(rows);
    });
    this.#using = using.catch(() => {});
    return using;
  }

  #configured(rows: ReadonlyMap<string, ClusterRow>): void {
    this.#rows = rows;
    void this.#use().catch((thrown: unknown) =>
      this.#parts.options.report(`the changed configuration cannot be used: ${describeError(thrown)}`),
    );
    for (const [server, owned] of this.#owned)
      if (!rows.has(server)) void this.#giveAway(server, owned, performance.now());
  }

  #gatewayGone(gateway: string): void {
    for (const [server, { links }] of this.#owned)
      for (const [link, entry] of links)
        if (entry.gateway === gateway)
          link.end(
            new ProtocolFault("transport", `the gateway of a link to server "${server}" has ended`, {
              server,
            }),
          );
  }

  /** Gateways open links again, and are then told why they get none. Calls under way may finish. */
  #closeLinks(server: string): void {
    for (const [link, entry] of this.#owned.get(server)?.links ?? []) {
      entry.isClosing = true;
      if (!link.hasSent || entry.isDrained) void link.close();
      else link.drain();
    }
  }

  /** Gateways that were told that it needs a login ask again. */
  #tellOfLogin(server: string): void {
    if (!this.#owned.has(server)) return;
    const { connection, nodes } = this.#parts;
    for (const { role, id } of nodes.values())
      if (role === "gateway") connection.nats.publish(subjects.login(id), server);
  }

  async #giveUpIdle(): Promise<void> {
    const { idleMs, servers } = this.#parts.options;
    for (const [server, owned] of [...this.#owned]) {
      const { idleSinceMs } = owned;
      if (idleSinceMs === undefined || performance.now() - idleSinceMs < idleMs) continue;
      if (servers.missingLogin(server)) continue; // Gateways wait for word of it.
      await this.#giveAway(server, owned, performance.now());
    }
  }

  /** Lets calls under way finish, ends the server, and gives up the claim: only then may another worker start it. */
  async #giveAway(server: string, owned: OwnedServer, untilMs: number): Promise<void> {
    if (this.#owned.get(server) !== owned) return;
    for (const link of owned.links.keys()) link.drain();
    const areDrained = (): boolean => [...owned.links.values()].every(({ isDrained }) => isDrained);
    while (!areDrained() && performance.now() < untilMs)
      await new Promise((resolve) => setTimeout(resolve, 10));
    if (this.#owned.get(server) !== owned) return; // It was fenced meanwhile.
    this.#owned.delete(server);
    await this.#use();
    const { owners, lease } = this.#parts;
    await owners.delete(ownerKey(server), { previousSeq: owned.revision }).catch(() => {});
    await Promise.all([...owned.links.keys()].map((link) => link.close()));
    await lease.tell({ load: this.#owned.size }).catch(() => {});
  }
}

function fenced(server: string): ProtocolFault {
  return new ProtocolFault("transport", `the worker of server "${server}" has lost its lease`, { server });
}
