import { describeError, mintUlid } from "indusagi/core";
import { ClusterError } from "./cluster-error.ts";
import type { ClusterConnection } from "./connect-cluster.ts";
import { Bucket, LEASE_MS, StateKey } from "./contract.ts";

interface SetUpOptions {
  /** Default: 3 in a cluster of NATS servers, 1 with a single one. */
  readonly replicas?: number | undefined;
  /** Default: 20 s. */
  readonly leaseMs?: number | undefined;
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

/** Creates the buckets, or brings their settings up to date. What they hold stays. */
export async function setUpCluster(
  { nats }: ClusterConnection,
  { replicas = nats.info?.cluster === undefined ? 1 : 3, leaseMs = LEASE_MS }: SetUpOptions,
): Promise<SetUp> {
  const { Kvm } = await import("@nats-io/kv");
  const buckets = new Kvm(nats);
  const create = async (name: string, options: object): Promise<void> => {
    try {
      const shared = { replicas, allow_direct: false, storage: "file" as never, ...options };
      const kv = await buckets.create(name, shared);
      await settle(nats, name, { replicas, ...options });
      await kv.status();
    } catch (cause) {
      const why = describeError(cause);
      const remedy = /replicas|peers|placement/i.test(why)
        ? `; start ${replicas} NATS servers as a cluster, or give --replicas 1`
        : "";
      throw new ClusterError("refused", `the bucket ${name} cannot be created: ${why}${remedy}`, { cause });
    }
  };
  await create(Bucket.STATE, { history: STATE_HISTORY });
  // A marker, so that watchers learn of a lease that ran out.
  await create(Bucket.NODES, { ttl: leaseMs, markerTTL: MARKER_MS });
  await create(Bucket.OWNERS, {});
  await create(Bucket.PERMITS, {});
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
  await streams.update(stream, { ...config, num_replicas: replicas, max_age: maxAge, allow_direct: false });
}
