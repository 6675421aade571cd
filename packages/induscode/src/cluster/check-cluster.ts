import type { StreamInfo } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import { describeError } from "indusagi/core";
import { ClusterError } from "./cluster-error.ts";
import { type ClusterConnection, patiently } from "./connect-cluster.ts";
import { Bucket, chooseWorker, type NodeRecord, type NodeRole, StateKey, Stream } from "./contract.ts";
import { parseNode } from "./mirror.ts";
import { clusterRows } from "./rows.ts";

interface ClusterFinding {
  /** `wrong` must be corrected; `note` should be known. */
  readonly level: "ok" | "note" | "wrong";
  readonly message: string;
}

/** What is right and wrong with a cluster. */
export async function checkCluster(
  connection: ClusterConnection,
  monitors: readonly string[],
): Promise<readonly ClusterFinding[]> {
  const findings: ClusterFinding[] = [];
  const { info } = connection.nats;
  findings.push({
    level: "ok",
    message: `NATS ${info?.version} at ${info?.host}:${info?.port} has JetStream`,
  });
  findings.push({ level: "ok", message: `cluster ${await connection.id()} is set up` });
  for (const name of Object.values(Bucket)) findings.push(await bucketFinding(connection, name));
  for (const name of Object.values(Stream)) findings.push(await streamFinding(connection, name));
  for (const monitor of monitors) findings.push(await flushFinding(monitor));
  if (monitors.length === 0)
    findings.push({
      level: "note",
      message:
        "whether NATS flushes its writes is not known: name its monitoring address with --monitor, or a power cut may lose acknowledged changes",
    });
  findings.push(await writerFinding(connection));
  findings.push(...(await placementFindings(connection)));
  return findings;
}

async function bucketFinding(
  connection: ClusterConnection,
  name: (typeof Bucket)[keyof typeof Bucket],
): Promise<ClusterFinding> {
  return keptFinding(
    connection,
    `the bucket ${name}`,
    (await (await connection.bucket(name)).status()).streamInfo,
  );
}

async function streamFinding(connection: ClusterConnection, name: Stream): Promise<ClusterFinding> {
  const { manager } = await connection.jetStream();
  try {
    return keptFinding(connection, `the stream ${name}`, await manager.streams.info(name));
  } catch (thrown) {
    if (/stream not found/i.test(describeError(thrown)))
      return { level: "wrong", message: `there is no stream ${name}; run indus cluster init` };
    throw thrown;
  }
}

/** How a bucket or a stream is kept. */
function keptFinding(
  connection: ClusterConnection,
  what: string,
  { config, cluster }: StreamInfo,
): ClusterFinding {
  const replicas = config.num_replicas;
  if (config.allow_direct)
    return { level: "wrong", message: `${what} allows stale reads; run indus cluster init` };
  if (config.storage !== "file")
    return {
      level: "wrong",
      message: `${what} is kept in memory only; delete it with the tools of NATS, and run indus cluster init`,
    };
  if (config.compression !== undefined && config.compression !== ("none" as string))
    return {
      level: "wrong",
      message: `${what} is compressed, and a NATS server that is killed can damage it; run indus cluster init`,
    };
  const behind = (cluster?.replicas ?? []).filter((replica) => !replica.current || (replica.lag ?? 0) > 0);
  if (behind.length > 0)
    return {
      level: "wrong",
      message: `${what} has replicas that are behind: ${behind.map(({ name: node }) => node).join(", ")}; a NATS server that stays behind has to be restarted`,
    };
  if (replicas === 1 && connection.nats.info?.cluster !== undefined)
    return {
      level: "wrong",
      message: `${what} is kept by one NATS server only; run indus cluster init --replicas 3`,
    };
  return {
    level: "ok",
    message: `${what} has ${replicas} ${replicas === 1 ? "replica" : "replicas"}`,
  };
}

const MONITOR_MS = 5_000;

/** Rejects if a power cut could lose what NATS has acknowledged. */
export async function requireFlushed(monitors: readonly string[]): Promise<void> {
  for (const monitor of monitors) {
    const { level, message } = await flushFinding(monitor);
    if (level === "wrong") throw new ClusterError("refused", message);
  }
}

/** By default JetStream flushes every two minutes. */
async function flushFinding(monitor: string): Promise<ClusterFinding> {
  try {
    const answer = await fetch(new URL("/jsz?config=true", monitor), {
      signal: AbortSignal.timeout(MONITOR_MS),
    });
    const { config = {} } = (await answer.json()) as {
      readonly config?: { readonly sync_always?: boolean; readonly sync_interval?: number };
    };
    if (config.sync_always) return { level: "ok", message: `NATS at ${monitor} flushes every write` };
    return {
      level: "wrong",
      message: `NATS at ${monitor} does not flush every write, so a power cut may lose acknowledged changes; set sync_interval: always in its jetstream section`,
    };
  } catch (thrown) {
    return {
      level: "wrong",
      message: `the monitoring page of NATS at ${monitor} cannot be read: ${describeError(thrown)}`,
    };
  }
}

/** Whoever writes configuration runs commands on workers. Tries a write that cannot succeed. */
async function writerFinding(connection: ClusterConnection): Promise<ClusterFinding> {
  const state = await connection.bucket(Bucket.STATE);
  try {
    await state.update(StateKey.CLUSTER, "{}", NEVER);
  } catch (thrown) {
    if (/permission/i.test(describeError(thrown)))
      return { level: "ok", message: "this user may not write configuration and tokens" };
  }
  return {
    level: "note",
    message:
      "this user may write configuration and tokens, and so run commands on workers: only admins should; see the permissions in the guide",
  };
}

/** A revision that no bucket has. */
const NEVER = 2 ** 50;

async function placementFindings(connection: ClusterConnection): Promise<readonly ClusterFinding[]> {
  const nodes = await readBucket(await connection.bucket(Bucket.NODES));
  const living = [...nodes.values()].flatMap((text) => parseNode(text) ?? []);
  const count = (role: NodeRole): number => living.filter((node) => node.role === role).length;
  const findings: ClusterFinding[] = [
    { level: count("gateway") > 0 ? "ok" : "note", message: `gateways: ${count("gateway")}` },
    {
      level: count("worker") > 0 ? "ok" : "wrong",
      message: `workers: ${count("worker")}${count("worker") > 0 ? "" : "; start one with indus worker --cluster"}`,
    },
  ];
  const config = await (await connection.bucket(Bucket.STATE)).get(StateKey.SERVERS);
  const rows = clusterRows(config?.operation === "PUT" ? config.string() : "");
  for (const { server, placement, problem } of rows.values()) {
    if (problem !== undefined) findings.push({ level: "wrong", message: `server "${server}": ${problem}` });
    else if (count("worker") > 0 && !chooseWorker(living, placement))
      findings.push({
        level: "wrong",
        message: `no worker may take server "${server}"${placement.labels.length > 0 ? `, which asks for ${placement.labels.join(", ")}` : ""}`,
      });
  }
  return findings;
}

/** What a bucket holds now, by key. */
export async function readBucket(bucket: KV): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const keys: string[] = [];
  for await (const key of await bucket.keys()) keys.push(key);
  for (const key of keys) {
    const entry = await bucket.get(key);
    if (entry?.operation === "PUT") found.set(key, entry.string());
  }
  return found;
}

/** What NATS allows as a key, and ours are. */
const ID = /^[A-Za-z0-9_-]+$/;

/** A living node by its name or id. Rejects if there is none, or several. */
export async function findNode(
  connection: ClusterConnection,
  word: string,
  role: NodeRole,
): Promise<NodeRecord> {
  const bucket = await connection.bucket(Bucket.NODES);
  // The watchdog of a killed worker is in a hurry, and knows the id.
  if (ID.test(word)) {
    const entry = await patiently(() => bucket.get(word));
    const node = entry?.operation === "PUT" ? parseNode(entry.string()) : undefined;
    if (node?.role === role) return node;
  }
  const nodes = await patiently(() => readBucket(bucket));
  const living = [...nodes.values()]
    .flatMap((text) => parseNode(text) ?? [])
    .filter((node) => node.role === role);
  const found = living.filter(({ id, name }) => id === word || name === word);
  const [first] = found;
  if (first && found.length === 1) return first;
  const names = living.map(({ name }) => name).join(", ");
  const known = names === "" ? `there is no ${role}` : `the ${role}s are ${names}`;
  throw new ClusterError(
    "invalid",
    first
      ? `several ${role}s are named ${word}; use the id`
      : `there is no ${role} ${JSON.stringify(word)}; ${known}`,
  );
}
