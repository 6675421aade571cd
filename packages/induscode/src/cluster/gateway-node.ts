import { randomBytes } from "node:crypto";
import { Listeners, settlesWithin } from "indusagi/core";
import { type MessageTransport, ProtocolFault, type ServerConfig } from "indusagi/interop";
import type { ClusterConnection } from "./connect-cluster.ts";
import {
  Bucket,
  chooseWorker,
  type NodeRecord,
  type OpenReply,
  type OpenRequest,
  type OwnerRecord,
  ownerKey,
  type PermitRecord,
  StateKey,
  subjects,
} from "./contract.ts";
import { type Exchange, openExchange } from "./exchange.ts";
import { forwardSessions, type SessionForwarding } from "./forward-sessions.ts";
import { MAY_HAVE_RUN, type NatsLink } from "./link.ts";
import { type Mirror, openMirror, parseNode, parseOwner, parsePermits } from "./mirror.ts";
import { type NodeLease, takeLease } from "./node-lease.ts";
import { openPermits, type Permits } from "./permits.ts";
import { type ClusterRow, clusterRows } from "./rows.ts";

export interface GatewayNodeOptions {
  readonly name: string;
  /** The key of all gateways. */
  readonly key: Uint8Array;
  readonly report: (message: string) => void;
}

/** A gateway in the cluster: it reaches servers through their workers. */
export interface GatewayNode extends AsyncDisposable {
  readonly id: string;
  /** How long NATS has not answered. */
  readonly deafMs: number;
  /** How long others count on this gateway without hearing of it. */
  readonly leaseMs: number;
  /** The sessions of the other gateways. */
  readonly sessions: SessionForwarding;
  /** The limits of tokens. */
  readonly permits: Permits;
  /** The way to a server: a new link for each connection. */
  transport(config: ServerConfig): MessageTransport;
  /** The rows of the cluster. */
  rows(): ReadonlyMap<string, ClusterRow>;
  /** A file of the state; undefined if there is none. */
  file(key: StateKey): string | undefined;
  /** Calls the listener with each file that has changed. */
  onFile(listener: (key: string) => void): () => void;
  /** Calls the listener with each server that waited for a login and may be had now. */
  onLogin(listener: (server: string) => void): () => void;
}

/** How long a link may take to find a worker. Longer than a lease, so a killed worker's servers are found again. */
const PLACE_MS = 40_000;
const ASK_MS = 5_000;
const AGAIN_MS = 250;
/** How long the end of a gateway waits for NATS. */
const LAST_MS = 1_000;
const LINK_BYTES = 16;

export async function openGatewayNode(
  connection: ClusterConnection,
  { name, key, report }: GatewayNodeOptions,
): Promise<GatewayNode> {
  await connection.id();
  const opening = [
    openMirror(await connection.bucket(Bucket.STATE), (text) => text, report),
    openMirror(await connection.bucket(Bucket.NODES), parseNode, report),
    openMirror(await connection.bucket(Bucket.OWNERS), parseOwner, report),
    openMirror(await connection.bucket(Bucket.PERMITS), parsePermits, report),
  ] as const;
  const [state, nodes, owners, records] = await Promise.all(opening);
  const lease = await takeLease(connection, { role: "gateway", name, report });
  const { nats } = connection;
  const { id } = lease;
  let gateway: Gateway | undefined;
  const exchange = openExchange(nats, {
    role: "gateway",
    id,
    onMessage: (message) => {
      if (message.subject === subjects.forward(id)) sessions.take(message);
      if (message.subject === subjects.permits(id)) permits.take(message);
      if (message.subject === subjects.login(id)) gateway?.mayHaveLogin(message.string());
    },
  });
  const sessions = forwardSessions({
    ...{ nats, exchange, id, key },
    lives: (gateway) => nodes.get(gateway) !== undefined,
    onGone: (listener) => nodes.onChange((node) => nodes.get(node) ?? listener(node)),
  });
  const leases = await connection.bucket(Bucket.NODES);
  const permits = openPermits({
    ...{ nats, records, lease, report },
    bucket: await connection.bucket(Bucket.PERMITS),
    lives: async (gateway) => (await leases.get(gateway))?.operation === "PUT",
    gateways: () => [...nodes.values()].filter(({ role }) => role === "gateway").length,
  });
  gateway = new Gateway({
    ...{ connection, state, nodes, owners, records, exchange, lease, sessions, permits },
  });
  return gateway;
}

interface GatewayParts {
  readonly connection: ClusterConnection;
  readonly state: Mirror<string>;
  readonly nodes: Mirror<NodeRecord>;
  readonly owners: Mirror<OwnerRecord>;
  readonly exchange: Exchange;
  readonly lease: NodeLease;
  readonly records: Mirror<PermitRecord>;
  readonly sessions: SessionForwarding;
  readonly permits: Permits;
}

class Gateway implements GatewayNode {
  readonly id: string;
  readonly #parts: GatewayParts;
  readonly #files = new Listeners<string>();
  /** The worker at the other end of each link. */
  readonly #workers = new Map<NatsLink, string>();
  /** Servers that wait for a login, and the worker that said so. */
  readonly #waiting = new Map<string, string>();
  readonly #logins = new Listeners<string>();
  #rows: ReadonlyMap<string, ClusterRow>;

  constructor(parts: GatewayParts) {
    this.id = parts.lease.id;
    this.#parts = parts;
    this.#rows = clusterRows(parts.state.get(StateKey.SERVERS) ?? "");
    parts.state.onChange((key) => {
      if (key === StateKey.SERVERS) this.#rows = clusterRows(parts.state.get(key) ?? "");
      this.#files.emit(key);
    });
    parts.nodes.onChange((key) => {
      if (parts.nodes.get(key) !== undefined) return;
      for (const [link, worker] of this.#workers) if (worker === key) link.end(workerGone(link));
      for (const [server, worker] of this.#waiting) if (worker === key) this.mayHaveLogin(server);
    });
    parts.owners.onChange((key) => {
      if (parts.owners.get(key) !== undefined) return;
      for (const server of this.#waiting.keys()) if (ownerKey(server) === key) this.mayHaveLogin(server);
    });
  }

  get sessions(): SessionForwarding {
    return this.#parts.sessions;
  }

  get permits(): Permits {
    return this.#parts.permits;
  }

  get deafMs(): number {
    return this.#parts.lease.silentMs;
  }

  get leaseMs(): number {
    return this.#parts.lease.leaseMs;
  }

  rows(): ReadonlyMap<string, ClusterRow> {
    return this.#rows;
  }

  file(key: StateKey): string | undefined {
    return this.#parts.state.get(key);
  }

  onFile(listener: (key: string) => void): () => void {
    return this.#files.add(listener);
  }

  onLogin(listener: (server: string) => void): () => void {
    return this.#logins.add(listener);
  }

  /** A worker has a login for the server, or another worker has to be asked. */
  mayHaveLogin(server: string): void {
    if (this.#waiting.delete(server)) this.#logins.emit(server);
  }

  transport({ id: server }: ServerConfig): MessageTransport {
    return new LazyLink(server, (over) => this.#place(server, over));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { connection, lease, exchange, state, nodes, owners, records, sessions, permits } = this.#parts;
    sessions[Symbol.dispose]();
    await Promise.all([...this.#workers.keys()].map((link) => link.close()));
    // The last frames.
    exchange.flush();
    await settlesWithin(
      connection.nats.flush().catch(() => {}),
      LAST_MS,
    );
    await settlesWithin(permits[Symbol.asyncDispose](), LAST_MS);
    await settlesWithin(lease.release(), LAST_MS);
    exchange[Symbol.dispose]();
    for (const mirror of [state, nodes, owners, records]) mirror[Symbol.dispose]();
  }

  /** Finds the worker that owns a server, or gives the server to one. */
  async #place(server: string, over: AbortSignal): Promise<NatsLink> {
    const untilMs = performance.now() + PLACE_MS;
    const refused = new Map<string, string>();
    let elsewhere: string | undefined;
    for (;;) {
      const row = this.#rows.get(server);
      if (!row)
        throw unplaced(server, "it is not in the cluster's configuration", "run indus mcp add --cluster");
      const worker = elsewhere ?? this.#workerFor(row, refused);
      elsewhere = undefined;
      if (worker !== undefined) {
        const answer = await this.#ask(worker, row);
        if ("link" in answer) {
          this.#waiting.delete(server);
          return answer.link;
        }
        if ("login" in answer) {
          if (worker !== undefined) this.#waiting.set(server, worker);
          throw missesLogin(server, answer);
        }
        if ("elsewhere" in answer) {
          if (this.#parts.nodes.get(answer.elsewhere)) elsewhere = answer.elsewhere;
        } else if (answer.problem !== undefined) refused.set(worker, answer.problem);
      }
      if (over.aborted) throw unplaced(server, "the connection was closed", "open it again");
      const [problem] = refused.values();
      const hasNone = !chooseWorker(this.#parts.nodes.values(), row.placement, new Set(refused.keys()));
      if (problem !== undefined && hasNone && worker === undefined) throw unplaced(server, problem);
      if (performance.now() > untilMs) throw unplaced(server, ...this.#whyNone(row));
      await pause(AGAIN_MS);
    }
  }

  /** Its owner while that lives, else the least loaded worker that may have it. */
  #workerFor({ server, placement }: ClusterRow, refused: ReadonlyMap<string, string>): string | undefined {
    const owner = this.#parts.owners.get(ownerKey(server))?.worker;
    const owning = owner === undefined || refused.has(owner) ? undefined : this.#parts.nodes.get(owner);
    if (owning) return owning.id;
    return chooseWorker(this.#parts.nodes.values(), placement, new Set(refused.keys()))?.id;
  }

  async #ask(
    worker: string,
    { server, hash: row }: ClusterRow,
  ): Promise<Exclude<OpenReply, { ok: true }> | { readonly link: NatsLink } | { readonly problem?: string }> {
    const id = randomBytes(LINK_BYTES).toString("base64url");
    const link = this.#parts.exchange.link(
      id,
      { role: "worker", id: worker },
      { server, onEnd: () => void this.#workers.delete(link) },
    );
    this.#workers.set(link, worker);
    const request: OpenRequest = { server, gateway: this.id, link: id, row };
    let reply: OpenReply;
    try {
      const answer = await this.#parts.connection.nats.request(
        subjects.open(worker),
        JSON.stringify(request),
        {
          timeout: ASK_MS,
        },
      );
      reply = answer.json<OpenReply>();
    } catch {
      // It has ended, is cut off, or is slow: the lease decides.
      await link.close();
      return {};
    }
    if ("ok" in reply && !link.isOver) return { link };
    await link.close();
    return "ok" in reply ? {} : reply;
  }

  #whyNone({ placement: { labels } }: ClusterRow): [string, string] {
    const workers = [...this.#parts.nodes.values()].filter(({ role }) => role === "worker");
    if (workers.length === 0) return ["no worker is running", "start one with indus worker --cluster"];
    if (labels.length > 0 && !workers.some((node) => labels.every((label) => node.labels?.includes(label))))
      return [`no worker has the labels ${labels.join(", ")}`, "start one with indus worker --labels"];
    return ["no worker took it", "see indus cluster status"];
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function unplaced(server: string, why: string, remedy?: string): ProtocolFault {
  const end = remedy === undefined ? "" : `; ${remedy}`;
  return new ProtocolFault("not_connected", `server "${server}" has no worker: ${why}${end}`, {
    server,
    retrySafe: true,
  });
}

/** As the worker says it: a server is not asked for in vain, and its status names the command. */
function missesLogin(server: string, { problem, login }: { problem: string; login: string }): ProtocolFault {
  return new ProtocolFault("transport", problem, { server, login, reason: "auth", retrySafe: true });
}

function workerGone(link: NatsLink): ProtocolFault {
  const { server } = link;
  return new ProtocolFault("transport", `the worker that ran server "${server}" has ended${MAY_HAVE_RUN}`, {
    server,
    reason: "session_lost",
  });
}

/** A link whose worker is found when it starts. */
class LazyLink implements MessageTransport {
  onmessage?: MessageTransport["onmessage"];
  onerror?: MessageTransport["onerror"];
  onclose?: MessageTransport["onclose"];
  endedBy?: ProtocolFault | undefined;
  #keeper: NatsLink["keeper"];
  readonly pid = undefined;
  readonly stderr = undefined;
  readonly #server: string;
  readonly #place: (over: AbortSignal) => Promise<NatsLink>;
  readonly #over = new AbortController();
  #link: NatsLink | undefined;

  constructor(server: string, place: (over: AbortSignal) => Promise<NatsLink>) {
    this.#server = server;
    this.#place = place;
  }

  async start(): Promise<void> {
    const link = await this.#place(this.#over.signal);
    this.#link = link;
    link.keeper = this.#keeper;
    link.onmessage = (message, extra) => this.onmessage?.(message, extra);
    link.onclose = () => {
      this.endedBy = link.endedBy;
      this.onclose?.();
    };
    if (this.#over.signal.aborted) await link.close();
    await link.start();
  }

  get keeper(): NatsLink["keeper"] {
    return this.#keeper;
  }

  set keeper(keeper: NatsLink["keeper"]) {
    this.#keeper = keeper;
    if (this.#link) this.#link.keeper = keeper;
  }

  send(...sent: Parameters<NatsLink["send"]>): Promise<void> {
    return this.#link ? this.#link.send(...sent) : Promise.reject(this.#notOpen());
  }

  post(...[message, sender]: Parameters<NatsLink["post"]>): void {
    if (this.#link) this.#link.post(message, sender);
    else sender?.failed(this.#notOpen());
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#link?.close();
  }

  #notOpen(): ProtocolFault {
    const server = this.#server;
    return new ProtocolFault("not_connected", `server "${server}" has no link yet`, {
      server,
      retrySafe: true,
    });
  }
}
