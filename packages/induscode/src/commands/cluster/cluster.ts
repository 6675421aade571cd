import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describeError, escapeForDisplay, showDuration } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import type * as cluster from "../../cluster/internal.ts";
import {
  type ClusterPlace,
  type CommandSpec,
  clusterFlags,
  type Flag,
  JSON_OUTPUT,
  type ParsedFlags,
  readCluster,
  type UsageProblem,
} from "../../launch/internal.ts";
import { showJson, showTable } from "../../screen/index.ts";

interface ClusterRequest {
  readonly address: ClusterPlace;
}

const FLAGS = clusterFlags(
  "The NATS servers of the cluster, such as nats://127.0.0.1:4222; tls:// on other machines.",
);

function withCluster<Request extends object>(
  flags: ParsedFlags,
  read: (address: ClusterPlace) => Request | UsageProblem,
): Request | UsageProblem {
  const address = readCluster(flags);
  return address
    ? read(address)
    : { problem: "it needs --cluster and the URL of a NATS server, such as nats://127.0.0.1:4222" };
}

interface InitRequest extends ClusterRequest {
  readonly replicas?: number | undefined;
  readonly leaseMs?: number | undefined;
  readonly auditDays?: number | undefined;
  /** The monitoring pages of the NATS servers, which must flush every write. */
  readonly monitors: readonly string[];
  readonly json: boolean;
}

const MONITOR: Flag = {
  name: "--monitor",
  aliases: [],
  kind: "list",
  value: "URLS",
  describe:
    "The monitoring addresses of the NATS servers, such as http://127.0.0.1:8222: only they tell whether writes are flushed.",
};

const MAX_AUDIT_DAYS = 3_650;
const MIN_LEASE_S = 4;
const MAX_LEASE_S = 300;

export const CLUSTER_INIT: CommandSpec<InitRequest> = {
  name: "cluster init",
  group: "team",
  summary:
    "Set up the state of a cluster in NATS JetStream, or bring its settings up to date. What it holds stays.",
  flags: [
    ...FLAGS,
    {
      name: "--replicas",
      aliases: [],
      kind: "number",
      value: "N",
      describe:
        "How many NATS servers keep each record. Default: 3 in a cluster of them, 1 with a single one.",
      accepts: { describe: "1, 3 or 5", isValid: (text) => ["1", "3", "5"].includes(text) },
    },
    {
      name: "--lease",
      aliases: [],
      kind: "number",
      value: "SECONDS",
      describe:
        "How long a worker that is not heard of counts as alive. A short lease ends healthy workers while NATS elects a leader. Default: 20.",
      accepts: {
        describe: `a number of seconds from ${MIN_LEASE_S} to ${MAX_LEASE_S}`,
        isValid: (text) => Number(text) >= MIN_LEASE_S && Number(text) <= MAX_LEASE_S,
      },
    },
    {
      name: "--audit-days",
      aliases: [],
      kind: "number",
      value: "DAYS",
      describe: "How long calls stay in the audit trail. Default: 1.",
      accepts: {
        describe: `a whole number of days from 1 to ${MAX_AUDIT_DAYS}`,
        isValid: (text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= MAX_AUDIT_DAYS,
      },
    },
    { ...MONITOR, describe: `${MONITOR.describe} If not, nothing is set up.` },
    JSON_OUTPUT,
  ],
  examples: ["indus cluster init --cluster nats://127.0.0.1:4222"],
  read: (flags) =>
    withCluster(flags, (address) => {
      const lease = flags.number("--lease");
      return {
        address,
        replicas: flags.number("--replicas"),
        leaseMs: lease === undefined ? undefined : Math.round(lease * 1_000),
        auditDays: flags.number("--audit-days"),
        monitors: flags.list("--monitor"),
        json: flags.has("--json"),
      };
    }),
};

/** `indus cluster init`. */
export async function clusterInit(
  run: Run,
  { address, json, monitors, ...options }: InitRequest,
): Promise<number> {
  return inCluster(run, address, async (connection) => {
    const { requireFlushed, setUpCluster } = await import("../../cluster/internal.ts");
    await requireFlushed(monitors);
    const made = await setUpCluster(connection, options);
    const { id, replicas, leaseMs, isNew } = made;
    const text = `${isNew ? "set up" : "brought up to date"} cluster ${id}: ${replicas} ${replicas === 1 ? "replica" : "replicas"}, lease ${showDuration(leaseMs)}\n`;
    run.terminal.out(json ? showJson(made) : text);
    return 0;
  });
}

interface ShowRequest extends ClusterRequest {
  readonly json: boolean;
}

export const CLUSTER_STATUS: CommandSpec<ShowRequest> = {
  name: "cluster status",
  group: "team",
  summary: "Show the gateways and workers of a cluster, and which worker owns which server.",
  flags: [...FLAGS, JSON_OUTPUT],
  examples: ["indus cluster status --cluster nats://127.0.0.1:4222"],
  read: (flags) => withCluster(flags, (address) => ({ address, json: flags.has("--json") })),
};

/** `indus cluster status`. */
export async function clusterStatus(run: Run, { address, json }: ShowRequest): Promise<number> {
  return inCluster(run, address, async (connection) => {
    const { Bucket, StateKey, clusterRows, parseNode, parseOwner, readBucket } = await import(
      "../../cluster/internal.ts"
    );
    const [nodes, owners, state] = await Promise.all([
      readBucket(await connection.bucket(Bucket.NODES)),
      readBucket(await connection.bucket(Bucket.OWNERS)),
      connection.bucket(Bucket.STATE),
    ]);
    const config = await state.get(StateKey.SERVERS);
    const rows = clusterRows(config?.operation === "PUT" ? config.string() : "");
    const living = [...nodes.values()].flatMap((text) => parseNode(text) ?? []);
    const owning = new Map(
      [...owners.values()]
        .flatMap((text) => parseOwner(text) ?? [])
        .map((each) => [each.server, each.worker]),
    );
    const shown = {
      cluster: await connection.id(),
      nats: connection.nats.info?.version,
      nodes: living.map(({ role, name, id, version, startedAt, labels, load, capacity, draining }) => ({
        ...{ role, name, id, version, startedAt, labels, load, capacity },
        draining: draining ?? false,
      })),
      servers: [...rows.keys()].map((server) => {
        const worker = owning.get(server);
        const owner = living.find(({ id }) => id === worker);
        return {
          server,
          worker: owner?.name ?? null,
          state: owner ? "owned" : worker === undefined ? "unused" : "owner is gone",
        };
      }),
    };
    if (json) run.terminal.out(showJson(shown));
    else {
      const safe = (text: string | null | undefined): string => escapeForDisplay(text ?? "-");
      const table = (given: readonly (readonly string[])[]): void =>
        run.terminal.out(showTable(given, run.terminal.outLook ?? {}));
      table([
        ["NODE", "ROLE", "ID", "VERSION", "SERVERS", "LABELS"],
        ...shown.nodes.map((node) => [
          safe(node.name),
          node.draining ? `${node.role}, draining` : node.role,
          safe(node.id),
          safe(node.version),
          node.role === "worker" ? `${node.load ?? 0} of ${node.capacity ?? "any"}` : "-",
          safe(node.labels?.join(", ") || undefined),
        ]),
      ]);
      run.terminal.out("\n");
      table([
        ["SERVER", "WORKER", "STATE"],
        ...shown.servers.map((each) => [safe(each.server), safe(each.worker), each.state]),
      ]);
    }
    return 0;
  });
}

interface CheckRequest extends ShowRequest {
  /** The monitoring pages of the NATS servers. */
  readonly monitors: readonly string[];
}

export const CLUSTER_CHECK: CommandSpec<CheckRequest> = {
  name: "cluster check",
  group: "team",
  summary:
    "Check a cluster: its NATS servers, its state, what this user may write, and whether its servers have workers.",
  flags: [...FLAGS, MONITOR, JSON_OUTPUT],
  examples: ["indus cluster check --cluster nats://127.0.0.1:4222"],
  read: (flags) =>
    withCluster(flags, (address) => ({
      address,
      monitors: flags.list("--monitor"),
      json: flags.has("--json"),
    })),
};

/** `indus cluster check`: exits with 1 if something must be corrected. */
export async function clusterCheck(run: Run, { address, monitors, json }: CheckRequest): Promise<number> {
  return inCluster(run, address, async (connection) => {
    const { checkCluster } = await import("../../cluster/internal.ts");
    const findings = await checkCluster(connection, monitors);
    const isGood = findings.every(({ level }) => level !== "wrong");
    if (json) run.terminal.out(showJson({ ok: isGood, findings }));
    else
      for (const { level, message } of findings) run.terminal.out(`${level}: ${escapeForDisplay(message)}\n`);
    return isGood ? 0 : 1;
  });
}

interface ApplyRequest extends ClusterRequest {
  readonly file: string;
}

export const CLUSTER_APPLY: CommandSpec<ApplyRequest> = {
  name: "cluster apply",
  group: "team",
  operands: "FILE",
  summary:
    "Replace the servers of a cluster by those of a configuration file. Its variables are resolved by the workers.",
  flags: FLAGS,
  examples: ["indus cluster apply servers.json --cluster nats://127.0.0.1:4222"],
  read: (flags) =>
    withOperand(flags, "cluster apply needs a configuration file", (file, address) => ({ address, file })),
};

/** `indus cluster apply`. */
export async function clusterApply(run: Run, { address, file }: ApplyRequest): Promise<number> {
  return inCluster(run, address, async (connection) => {
    const { StateKey, clusterRows, writeState } = await import("../../cluster/internal.ts");
    const text = readFileSync(resolve(run.cwd, file), "utf8");
    await writeState(connection, StateKey.SERVERS, text);
    const count = clusterRows(text).size;
    run.terminal.out(`the cluster has ${count} ${count === 1 ? "server" : "servers"} now\n`);
    return 0;
  });
}

interface NodeTarget extends ClusterRequest {
  readonly node: string;
}

export const CLUSTER_DRAIN: CommandSpec<NodeTarget> = {
  name: "cluster drain",
  group: "team",
  operands: "WORKER",
  summary:
    "Move the servers of a worker to the others; running calls may finish. It takes no more until it is started again.",
  flags: FLAGS,
  examples: ["indus cluster drain worker-2 --cluster nats://127.0.0.1:4222"],
  read: (flags) =>
    withOperand(flags, "cluster drain needs the name or the id of a worker", (node, address) => ({
      address,
      node,
    })),
};

/** `indus cluster drain`. Waits until the worker owns nothing. */
export async function clusterDrain(run: Run, { address, node }: NodeTarget): Promise<number> {
  return inCluster(run, address, async (connection) => {
    const { findNode, subjects, Bucket, parseNode } = await import("../../cluster/internal.ts");
    const worker = await findNode(connection, node, "worker");
    await connection.nats.request(subjects.drain(worker.id), "", { timeout: ASK_MS });
    const nodes = await connection.bucket(Bucket.NODES);
    for (;;) {
      run.signal.throwIfAborted();
      const entry = await nodes.get(worker.id);
      const now = entry?.operation === "PUT" ? parseNode(entry.string()) : undefined;
      if (!now || now.load === 0) break;
      await new Promise((done) => setTimeout(done, DRAIN_CHECK_MS));
    }
    run.terminal.out(`worker ${escapeForDisplay(worker.name)} owns no server any more\n`);
    return 0;
  });
}

const ASK_MS = 5_000;
const DRAIN_CHECK_MS = 200;

export const CLUSTER_FORGET: CommandSpec<NodeTarget> = {
  name: "cluster forget",
  group: "team",
  operands: "WORKER",
  summary:
    "Take the lease of a worker whose processes have ended, so others start its servers at once. A worker that still runs ends its servers.",
  flags: FLAGS,
  examples: ["indus cluster forget worker-2 --cluster nats://127.0.0.1:4222"],
  read: (flags) =>
    withOperand(flags, "cluster forget needs the name or the id of a worker", (node, address) => ({
      address,
      node,
    })),
};

/** `indus cluster forget`. The watchdog of a killed worker runs it. */
export async function clusterForget(run: Run, { address, node }: NodeTarget): Promise<number> {
  return inCluster(run, address, async (connection) => {
    const { findNode, patiently, Bucket } = await import("../../cluster/internal.ts");
    const worker = await findNode(connection, node, "worker");
    const nodes = await connection.bucket(Bucket.NODES);
    await patiently(() => nodes.delete(worker.id));
    run.terminal.out(`worker ${escapeForDisplay(worker.name)} is forgotten\n`);
    return 0;
  });
}

function withOperand<Request extends object>(
  flags: ParsedFlags,
  missing: string,
  read: (operand: string, address: ClusterPlace) => Request,
): Request | UsageProblem {
  const [operand, surplus] = [...flags.operands, ...flags.afterEnd];
  if (operand === undefined) return { problem: missing };
  if (surplus !== undefined) return { problem: `${missing}, and only one` };
  return withCluster(flags, (address) => read(operand, address));
}

type Connection = Awaited<ReturnType<typeof cluster.connectCluster>>;

async function inCluster(
  run: Run,
  address: ClusterPlace,
  work: (connection: Connection) => Promise<number>,
): Promise<number> {
  try {
    const { connectCluster } = await import("../../cluster/internal.ts");
    await using connection = await connectCluster(address, "indus command");
    return await work(connection);
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}
