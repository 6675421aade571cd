/** The oldest NATS server that is used: older ones can let two writers win a compare-and-set. */
export const OLDEST_SERVER = "2.12.0";

/** What lies in the cluster: buckets, and the keys of `STATE`. */
export const Bucket = {
  /** Configuration and tokens. Written by admins. */
  STATE: "indus_state",
  /** A lease for each gateway and worker. */
  NODES: "indus_nodes",
  /** Which worker owns a server. */
  OWNERS: "indus_owners",
  /** How many calls of a token each gateway may run. */
  PERMITS: "indus_permits",
  /** The approved forms of tools, by server. */
  PINS: "indus_pins",
  /** What servers offered when they were last listed. */
  CATALOGUE: "indus_catalogue",
  /** The parts of texts that are too large for one message, by the hash of the whole. */
  BODIES: "indus_bodies",
  /** Logins at servers, sealed. */
  LOGINS: "indus_logins",
  /** Who changes a login. */
  LOCKS: "indus_locks",
} as const;

/** Logs in the cluster. */
export const Stream = {
  /** Which tools each server had, and decisions about them. Written by the worker that owns the server. */
  LEDGER: "indus_ledger",
  /** The calls that gateways served. */
  AUDIT: "indus_audit",
} as const;
export type Stream = (typeof Stream)[keyof typeof Stream];

/** The keys of the state. Each is a small file, and is written by compare-and-set. */
export const StateKey = {
  /** The servers, as a configuration file. */
  SERVERS: "servers",
  /** The tokens of clients: their hashes. */
  TOKENS: "tokens",
  /** Names the cluster. */
  CLUSTER: "cluster",
} as const;
export type StateKey = (typeof StateKey)[keyof typeof StateKey];

/** How long a node's lease lasts without a renewal. */
export const LEASE_MS = 20_000;
/** How long one process may hold a login without saying so again. */
export const LOCK_MS = 30_000;
/** A worker that could not renew its lease for this part of it ends its servers: another worker may start them soon. */
export const FENCE_AT = 0.75;

/** How many days calls stay in the audit trail, by default. */
export const AUDIT_DAYS = 1;

export type NodeRole = "gateway" | "worker";

/** What a node says about itself in its lease. */
export interface NodeRecord {
  readonly role: NodeRole;
  /** New for each process, and unguessable: messages are addressed by it. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  readonly version: string;
  readonly startedAt: string;
  /** A worker's labels; rows may ask for them. */
  readonly labels?: readonly string[];
  /** How many servers a worker owns, and how many it may. */
  readonly load?: number;
  readonly capacity?: number;
  /** It takes no more servers, and gives away those that it has. */
  readonly draining?: boolean;
}

/** Who owns a server. Valid while the lease of that worker is. */
export interface OwnerRecord {
  readonly server: string;
  readonly worker: string;
}

/** How many permits of a token each gateway has. `version` grows with each change. */
export interface PermitRecord {
  readonly version: number;
  readonly holders: { readonly [gateway: string]: number };
}

/** A gateway asks a worker to serve one server over a link. */
export interface OpenRequest {
  readonly server: string;
  readonly gateway: string;
  readonly link: string;
  /** The row as the gateway knows it: a worker that knows an older one waits for the change. */
  readonly row: string;
}

/**
 * `elsewhere`: another worker owns the server. `problem`: why the server cannot be had from this worker. `login`: it has the server,
 * which needs a login first: how to log in.
 */
export type OpenReply =
  | { readonly ok: true }
  | { readonly elsewhere: string }
  | { readonly problem: string; readonly mayHelp: "other" | "none" }
  | { readonly problem: string; readonly login: string };

/** The subjects. A part that is random keeps others from guessing where a message is read. */
export const subjects = {
  /** Everything that a node reads. */
  all: (role: NodeRole, id: string): string => `indus.${role[0]}.${id}.>`,
  open: (worker: string): string => `indus.w.${worker}.open`,
  /** A request of a session of that gateway. */
  forward: (gateway: string): string => `indus.g.${gateway}.forward`,
  /** Gateways ask each other for permits that are not in use. */
  permits: (gateway: string): string => `indus.g.${gateway}.permits`,
  /** Workers tell gateways that a server does not wait for a login any more. */
  login: (gateway: string): string => `indus.g.${gateway}.login`,
  drain: (worker: string): string => `indus.w.${worker}.drain`,
  link: (role: NodeRole, id: string, link: string): string => `indus.${role[0]}.${id}.l.${link}`,
  /** Where NATS tells that nobody reads a frame. */
  unread: (role: NodeRole, id: string, link: string): string => `indus.${role[0]}.${id}.u.${link}`,
  /** The ledger of a server. */
  ledger: (server: string): string => `${Stream.LEDGER}.s.${ownerKey(server)}`,
  /** Decisions about a server's tools that were made elsewhere than at its worker. */
  decisions: (server: string): string => `${Stream.LEDGER}.d.${ownerKey(server)}`,
  /** The calls of all gateways. */
  audit: "indus_audit.calls",
} as const;

/** A key of a bucket allows few characters, and a server's name any. */
export function ownerKey(server: string): string {
  return Buffer.from(server).toString("base64url");
}

/** How the cluster places the instance of a row. */
export interface RowPlacement {
  /** Only workers with all of these labels. */
  readonly labels: readonly string[];
}

/** The worker that should take a server: the least loaded of those that may. */
export function chooseWorker(
  nodes: Iterable<NodeRecord>,
  { labels }: RowPlacement,
  without: ReadonlySet<string> = new Set(),
): NodeRecord | undefined {
  const fit = [...nodes].filter(
    (node) =>
      node.role === "worker" &&
      !node.draining &&
      !without.has(node.id) &&
      labels.every((label) => node.labels?.includes(label)) &&
      (node.load ?? 0) < (node.capacity ?? Number.POSITIVE_INFINITY),
  );
  // By id if equal, so that gateways that ask at the same time ask the same worker.
  return fit.sort((a, b) => (a.load ?? 0) - (b.load ?? 0) || (a.id < b.id ? -1 : 1))[0];
}

/** Whether a version such as `2.15.1` is at least another. */
export function isAtLeast(version: string, oldest: string): boolean {
  const parts = (text: string): number[] =>
    text
      .split(/[.-]/)
      .slice(0, 3)
      .map((part) => Number.parseInt(part, 10) || 0);
  const [given, wanted] = [parts(version), parts(oldest)];
  for (let at = 0; at < 3; at++) {
    const difference = (given[at] ?? 0) - (wanted[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
