import type { StreamConfig } from "@nats-io/jetstream";
import { describeError, mintUlid } from "indusagi/core";
import { ClusterError } from "./cluster-error.ts";
import type { ClusterConnection } from "./connect-cluster.ts";
import { AUDIT_DAYS, Bucket, LEASE_MS, LOCK_MS, StateKey, Stream } from "./contract.ts";

interface SetUpOptions {
  /** Default: 3 in a cluster of NATS servers, 1 with a single one. */
  readonly replicas?: number | undefined;
  /** Default: 20 s. */
  readonly leaseMs?: number | undefined;
  /** How many days calls stay in the audit trail. Default: 1. */
  readonly auditDays?: number | undefined;
}

interface SetUp {
  readonly id: string;
  readonly replicas: number;
  readonly leaseMs: number;
  /** False: it was set up before, and only its settings were brought up to date. */
  readonly isNew: boolean;
}

const STATE_HISTORY = 16;
const MARKER_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Within it NATS itself drops a message that it has. Readers drop repetitions of any age. */
const DUPLICATES_MS = 10 * 60 * 1_000;

/** Creates the buckets and streams, or brings their settings up to date. What they hold stays. */
export async function setUpCluster(
  connection: ClusterConnection,
  {
    replicas = connection.nats.info?.cluster === undefined ? 1 : 3,
    leaseMs = LEASE_MS,
    auditDays = AUDIT_DAYS,
  }: SetUpOptions,
): Promise<SetUp> {
  const { nats } = connection;
  const { Kvm } = await import("@nats-io/kv");
  const { nanos } = await import("@nats-io/transport-node");
  const buckets = new Kvm(nats);
  const create = async (name: string, options: object): Promise<void> => {
    try {
      const shared = { replicas, allow_direct: false, storage: "file" as never, ...options };
      const kv = await buckets.create(name, shared);
      await settle(nats, name, { replicas, ...options });
      await kv.status();
    } catch (cause) {
      throw notCreated(`bucket ${name}`, replicas, cause);
    }
  };
  await create(Bucket.STATE, { history: STATE_HISTORY });
  // A marker, so that watchers learn of a lease that ran out.
  await create(Bucket.NODES, { ttl: leaseMs, markerTTL: MARKER_MS });
  await create(Bucket.OWNERS, {});
  for (const name of [Bucket.PERMITS, Bucket.PINS, Bucket.CATALOGUE, Bucket.BODIES, Bucket.LOGINS])
    await create(name, {});
  await create(Bucket.LOCKS, { ttl: LOCK_MS, markerTTL: MARKER_MS });
  await createStream(connection, Stream.LEDGER, { num_replicas: replicas, max_age: 0 });
  await createStream(connection, Stream.AUDIT, {
    num_replicas: replicas,
    max_age: nanos(auditDays * DAY_MS),
  });
  const state = await buckets.open(Bucket.STATE, { allow_direct: false });
  const known = await state.get(StateKey.CLUSTER);
  if (known) return { id: known.json<{ id: string }>().id, replicas, leaseMs, isNew: false };
  const id = mintUlid();
  await state.create(StateKey.CLUSTER, JSON.stringify({ format: 1, id }));
  return { id, replicas, leaseMs, isNew: true };
}

/** `create` leaves a bucket that exists as it is. */
async function settle(
  nats: ClusterConnection["nats"],
  name: string,
  { replicas, ttl }: { readonly replicas: number; readonly ttl?: number },
): Promise<void> {
  const { jetstreamManager } = await import("@nats-io/jetstream");
  const { nanos } = await import("@nats-io/transport-node");
  const streams = (await jetstreamManager(nats)).streams;
  const stream = `KV_${name}`;
  const { config } = await streams.info(stream);
  const maxAge = ttl === undefined ? 0 : nanos(ttl);
  if (config.num_replicas === replicas && config.max_age === maxAge && !config.allow_direct) return;
  await streams.update(stream, {
    ...config,
    num_replicas: replicas,
    max_age: maxAge,
    // NATS refuses a shorter age than this window, which it chose when the bucket was created.
    ...(maxAge > 0 && { duplicate_window: Math.min(config.duplicate_window, maxAge) }),
    allow_direct: false,
  });
}

/** What a stream has that is not fixed. */
type StreamSettings = Pick<StreamConfig, "num_replicas" | "max_age" | "compression">;

async function createStream(
  connection: ClusterConnection,
  name: Stream,
  limits: Omit<StreamSettings, "compression">,
): Promise<void> {
  // Not s2: a NATS server that is killed while it writes a compressed block damages it ("s2: corrupt input" in its log, seen with 2.15.1).
  const settings: StreamSettings = { ...limits, compression: "none" };
  const { manager } = await connection.jetStream();
  const { nanos } = await import("@nats-io/transport-node");
  const config = {
    ...settings,
    name,
    subjects: [`${name}.>`],
    storage: "file" as never,
    retention: "limits" as never,
    duplicate_window: nanos(DUPLICATES_MS),
    allow_direct: false,
    deny_delete: true,
  };
  try {
    const known = await manager.streams.info(name).catch((thrown: unknown) => {
      if (/not found/i.test(describeError(thrown))) return undefined;
      throw thrown;
    });
    if (!known) await manager.streams.add(config);
    else if (
      Object.entries(settings).some(([name, value]) => known.config[name as keyof StreamSettings] !== value)
    )
      await manager.streams.update(name, { ...known.config, ...settings });
  } catch (cause) {
    throw notCreated(`stream ${name}`, limits.num_replicas, cause);
  }
}

function notCreated(what: string, replicas: number, cause: unknown): ClusterError {
  const why = describeError(cause);
  const remedy = /replicas|peers|placement/i.test(why)
    ? `; start ${replicas} NATS servers as a cluster, or give --replicas 1`
    : "";
  return new ClusterError("refused", `the ${what} cannot be created: ${why}${remedy}`, { cause });
}
