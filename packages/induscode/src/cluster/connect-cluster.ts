import { readFileSync } from "node:fs";
import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import type { Authenticator, NatsConnection } from "@nats-io/transport-node";
import { describeError, isLoopbackHost, isRecord } from "indusagi/core";
import { ClusterError } from "./cluster-error.ts";
import { Bucket, isAtLeast, OLDEST_SERVER, StateKey } from "./contract.ts";

/** Where the cluster is, and as whom we use it. */
export interface ClusterAddress {
  /** `nats://` or `tls://` URLs. */
  readonly urls: readonly string[];
  /** A file: NATS credentials (`.creds`), or JSON with `user` and `password`, `token` or `nkey`. */
  readonly creds?: string | undefined;
  /** A file with the certificates of the authorities to trust. */
  readonly ca?: string | undefined;
}

/** An open connection to the cluster's NATS. */
export interface ClusterConnection extends AsyncDisposable {
  readonly nats: NatsConnection;
  readonly address: ClusterAddress;
  /** A bucket. Rejects if the cluster is not set up. */
  bucket(name: (typeof Bucket)[keyof typeof Bucket]): Promise<KV>;
  /** For the streams. */
  jetStream(): Promise<JetStreamAccess>;
  /** The id of the cluster. Rejects if it is not set up. */
  id(): Promise<string>;
}

/** Writes to streams, and manages them. */
interface JetStreamAccess {
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
}

const CONNECT_MS = 10_000;
const PING_MS = 5_000;

/** Connects, and refuses what is not safe to use. Rejects with one line. */
export async function connectCluster(address: ClusterAddress, name: string): Promise<ClusterConnection> {
  requireSafe(address);
  const {
    connect,
    nkeyAuthenticator,
    credsAuthenticator,
    usernamePasswordAuthenticator,
    tokenAuthenticator,
  } = await import("@nats-io/transport-node");
  const authenticator = signIn(address.creds, {
    creds: (bytes) => credsAuthenticator(bytes),
    nkey: (seed) => nkeyAuthenticator(seed),
    password: (user, password) => usernamePasswordAuthenticator(user, password),
    token: (token) => tokenAuthenticator(token),
  });
  const { urls, ca } = address;
  const usesTls = urls.some((url) => url.startsWith("tls://"));
  let nats: NatsConnection;
  try {
    nats = await connect({
      servers: urls.map((url) => url.replace(/^(nats|tls):\/\//, "")),
      name,
      timeout: CONNECT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      // A connection that was cut without a word is noticed after two of them.
      pingInterval: PING_MS,
      maxPingOut: 2,
      ...(authenticator && { authenticator }),
      ...(usesTls && { tls: ca === undefined ? {} : { caFile: ca } }),
    });
  } catch (cause) {
    throw new ClusterError(
      "unreachable",
      `NATS at ${urls.join(", ")} cannot be used: ${describeError(cause)}; start it, or correct --cluster`,
      { cause },
    );
  }
  try {
    requireCapable(nats);
  } catch (thrown) {
    await nats.close();
    throw thrown;
  }
  return new Connection(nats, address);
}

class Connection implements ClusterConnection {
  readonly nats: NatsConnection;
  readonly address: ClusterAddress;
  readonly #buckets = new Map<string, Promise<KV>>();
  #jetStream: Promise<JetStreamAccess> | undefined;

  constructor(nats: NatsConnection, address: ClusterAddress) {
    this.nats = nats;
    this.address = address;
  }

  bucket(name: (typeof Bucket)[keyof typeof Bucket]): Promise<KV> {
    const opened = this.#buckets.get(name) ?? this.#open(name);
    this.#buckets.set(name, opened);
    opened.catch(() => this.#buckets.delete(name));
    return opened;
  }

  jetStream(): Promise<JetStreamAccess> {
    const opened = this.#jetStream ?? this.#openJetStream();
    this.#jetStream = opened;
    opened.catch(() => (this.#jetStream = undefined));
    return opened;
  }

  async #openJetStream(): Promise<JetStreamAccess> {
    const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
    return { client: jetstream(this.nats), manager: await jetstreamManager(this.nats, { checkAPI: false }) };
  }

  async id(): Promise<string> {
    const state = await this.bucket(Bucket.STATE);
    const entry = await patiently(() => state.get(StateKey.CLUSTER));
    const id = entry?.json<{ readonly id?: unknown }>().id;
    if (typeof id !== "string") throw notSetUp();
    return id;
  }

  async #open(name: string): Promise<KV> {
    const { Kvm } = await import("@nats-io/kv");
    try {
      // Direct reads come from any replica and may be stale.
      const bucket = await new Kvm(this.nats).open(name, { allow_direct: false });
      await patiently(() => bucket.status()); // Opening asks for nothing.
      return bucket;
    } catch (cause) {
      if (/not found/i.test(describeError(cause))) throw notSetUp();
      throw new ClusterError("unreachable", `the cluster's state cannot be read: ${describeError(cause)}`, {
        cause,
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.nats.close().catch(() => {});
  }
}

/** Repeats what may be done twice while NATS elects a leader, which takes 5 to 12 s: a node must not fail to start because of that. */
export async function patiently<Value>(work: () => Promise<Value>): Promise<Value> {
  for (const untilMs = performance.now() + PATIENCE_MS; ; ) {
    try {
      return await work();
    } catch (thrown) {
      if (!isPassing(thrown) || performance.now() > untilMs) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 250;

function isPassing(thrown: unknown): boolean {
  return /timeout|no responders|temporarily unavailable|no leader|offline/i.test(describeError(thrown));
}

/** The cluster, or a part of it that later versions added, is not there. */
export function notSetUp(): ClusterError {
  return new ClusterError(
    "not_set_up",
    "the cluster is not set up; run indus cluster init with the same --cluster",
  );
}

const SCHEMES = /^(nats|tls):\/\/([^/?#]+)\/?$/;

/** Whoever can write to NATS can run commands on the workers. */
function requireSafe({ urls, creds }: ClusterAddress): void {
  if (urls.length === 0)
    throw new ClusterError("invalid", "--cluster needs a URL such as nats://127.0.0.1:4222");
  for (const url of urls) {
    const [, scheme, place = ""] = SCHEMES.exec(url) ?? [];
    // The URL is not repeated: it may hold a password.
    if (scheme === undefined)
      throw new ClusterError(
        "invalid",
        "--cluster takes URLs such as nats://127.0.0.1:4222 or tls://nats.example:4222",
      );
    if (place.includes("@"))
      throw new ClusterError(
        "invalid",
        "--cluster does not take a user or a password, which every process could read; put them into a file and name it with --cluster-creds",
      );
    const host = place.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
    if (isLoopbackHost(host)) continue;
    if (scheme !== "tls" || creds === undefined)
      throw new ClusterError(
        "refused",
        `NATS at ${url} is on another machine and needs TLS and credentials: use tls:// and --cluster-creds FILE`,
      );
  }
}

function requireCapable({ info }: NatsConnection): void {
  const { version = "0", host, port, jetstream } = info ?? {};
  if (!isAtLeast(version, OLDEST_SERVER))
    throw new ClusterError(
      "refused",
      `the NATS server at ${host}:${port} has version ${version}, and Indus needs ${OLDEST_SERVER} or newer: older ones can let two writers win`,
    );
  if (jetstream !== true)
    throw new ClusterError(
      "refused",
      `the NATS server at ${host}:${port} has no JetStream; start it with -js`,
    );
}

interface SignInWays {
  creds(bytes: Uint8Array): Authenticator;
  nkey(seed: Uint8Array): Authenticator;
  password(user: string, password: string): Authenticator;
  token(token: string): Authenticator;
}

function signIn(file: string | undefined, ways: SignInWays): Authenticator | undefined {
  if (file === undefined) return undefined;
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new ClusterError("invalid", `--cluster-creds: ${file} cannot be read: ${describeError(cause)}`, {
      cause,
    });
  }
  if (bytes.includes("BEGIN NATS USER JWT")) return ways.creds(bytes);
  const { user, password, token, nkey } = membersIn(bytes);
  if (typeof user === "string" && typeof password === "string") return ways.password(user, password);
  if (typeof token === "string") return ways.token(token);
  if (typeof nkey === "string") return ways.nkey(Buffer.from(nkey));
  throw new ClusterError(
    "invalid",
    `--cluster-creds: ${file} holds neither NATS credentials nor JSON with "user" and "password", "token" or "nkey"`,
  );
}

function membersIn(bytes: Buffer): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
