import { loadServerConfigs, readConfigText } from "indusagi/config";
import { type Environment, leaveWill } from "indusagi/core";
import type { EndpointStatus } from "indusagi/interop";
import { firstOf, type Run } from "../boot/internal.ts";
import { type Gateway, openGateway } from "../gateway/open/internal.ts";
import { serverReport } from "../servers/doctor/index.ts";
import { showDiagnostic } from "../servers/internal.ts";
import { type NodeRequest, openClusterRun } from "./cluster-run.ts";
import type { ClusterAddress } from "./connect-cluster.ts";
import { recordServers, type ServerRecorder } from "./record-servers.ts";
import { type ClusterRow, workerConfiguration } from "./rows.ts";
import { startStallGuard } from "./stall-guard.ts";
import { type HealthPlace, serveHealth } from "./worker-health.ts";
import { type MissingLogin, openWorkerNode, type WorkerServers } from "./worker-node.ts";

export interface WorkerRequest extends NodeRequest {
  readonly labels: readonly string[];
  readonly capacity: number;
  /** The variables that rows may refer to. */
  readonly offeredVariables: readonly string[];
  readonly drainMs: number;
  readonly idleMs: number;
  /** Where it answers probes. Default: nowhere. */
  readonly health?: HealthPlace | undefined;
}

/** Owns servers until the signal of the run aborts. Resolves to the exit code. */
export async function runWorker(
  parent: Run,
  request: WorkerRequest,
  onReady: (id: string) => void,
): Promise<number> {
  const { connection, run, name, end, decideWith } = await openClusterRun(parent, "worker", request);
  const { report } = run;
  const { labels, capacity, drainMs, idleMs } = request;
  const gateway = await openGateway(run, {
    servers: [],
    transport: { kind: "links" },
    profile: "none",
    // Gateways decide how long their clients wait.
    waitMs: WAIT_MS,
  });
  const serving = gateway.serve(() => {});
  const recorder = recordServers(connection, gateway.servers.box, report);
  decideWith((decision) => recorder.decide(decision));
  let isFenced = false;
  const guard = startStallGuard(report);
  run.defer(() => guard?.[Symbol.dispose]());
  const node = await parent.open(
    openWorkerNode(connection, {
      ...{ name, labels, capacity, drainMs, idleMs, report },
      servers: rowsOf(gateway, { run, recorder, cwd: parent.cwd, env: offered(request, parent.env) }),
      onRenewed: (mayStallMs) => guard?.allow(mayStallMs),
      onFenced: (why) => {
        isFenced = true;
        end(why);
      },
    }),
  );
  if (request.health) await run.open(serveHealth(request.health, () => node.isTaking));
  // If this process is killed, its servers are ended first, and then another worker may start them at once.
  const withdraw = await leaveWill(releaseOf(request.address, node.id));
  onReady(node.id);
  await Promise.race([serving, firstOf([], { signal: run.signal })]);
  await node[Symbol.asyncDispose]();
  withdraw();
  return isFenced ? 1 : 0;
}

/** Longer than a server that is installed first. */
const WAIT_MS = 200_000;
const RELEASES = 3;
const RELEASE_MS = 20_000;

function offered({ offeredVariables }: WorkerRequest, env: Environment): Environment {
  return Object.fromEntries(
    offeredVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

/** A program for the watchdog: `indus cluster forget`, as whoever started this worker would type it. */
function releaseOf({ urls, creds, ca }: ClusterAddress, worker: string): string {
  const words = [
    ...[process.argv[1] ?? "", "cluster", "forget", worker, "--cluster", urls.join(",")],
    ...(creds === undefined ? [] : ["--cluster-creds", creds]),
    ...(ca === undefined ? [] : ["--cluster-ca", ca]),
  ];
  const command = JSON.stringify([...process.execArgv, ...words]);
  // Until NATS has taken it: otherwise everybody waits for the end of the lease.
  const run = `require("node:child_process").spawnSync(process.execPath, ${command}, { stdio: "ignore", timeout: ${RELEASE_MS} })`;
  return `for (let left = ${RELEASES}; left > 0 && ${run}.status !== 0; left--);`;
}

interface RowsOptions {
  readonly run: Run;
  readonly recorder: ServerRecorder;
  /** Where programs start whose row names no folder. */
  readonly cwd: string;
  readonly env: Environment;
}

const FILE = "the cluster's configuration";

/** The rows of this worker in its gateway. */
function rowsOf(gateway: Gateway, { run, recorder, cwd, env }: RowsOptions): WorkerServers {
  const { servers } = gateway;
  return {
    host: (server) =>
      servers.configs().some(({ id }) => id === server) ? gateway.hostOf(server) : undefined,
    settled: (server, waitMs) => firstOf([servers.learnedOf(server)], { signal: run.signal, waitMs }),
    missingLogin: (server) => missingLogin(servers.fleet.statusOf(server)),
    onMissingLogin: (listener) => {
      const waiting = new Set<string>();
      const follow = (status: EndpointStatus): void => {
        const { server } = status;
        const { isUsable } = serverReport(status);
        if (missingLogin(status) ? waiting.has(server) : !(isUsable && waiting.delete(server))) return;
        if (!isUsable) waiting.add(server);
        listener(server);
      };
      run.defer(servers.fleet.onStatus(follow));
    },
    use: async (rows) => {
      const { configs, problems } = readRows(rows, { run, cwd, env });
      const ids = new Set(configs.map(({ id }) => id));
      const gone = servers.configs().filter(({ id }) => !ids.has(id));
      // First, so its tools stay in the ledger when it ends here: it goes on elsewhere.
      const recorded = gone.map(({ id }) => recorder.stop(id));
      // Waits for its end: then another worker may start it, and write its ledger.
      await Promise.all([...recorded, ...gone.map(({ id }) => servers.fleet.removeServer(id))]);
      void gateway.apply({ servers: configs });
      while (!run.signal.aborted && !isServing(servers.configs(), ids)) await new Promise(setImmediate);
      for (const id of ids) recorder.start(id);
      return problems;
    },
  };
}

function missingLogin(status: EndpointStatus | undefined): MissingLogin | undefined {
  if (!status) return undefined;
  const { standing, reason, remedy } = serverReport(status);
  return standing === "needs_login" ? { problem: reason, login: remedy } : undefined;
}

function isServing(configs: readonly { readonly id: string }[], ids: ReadonlySet<string>): boolean {
  return configs.length === ids.size && configs.every(({ id }) => ids.has(id));
}

function readRows(
  rows: readonly ClusterRow[],
  { run, cwd, env }: Omit<RowsOptions, "recorder">,
): {
  readonly configs: Parameters<Gateway["apply"]>[0]["servers"];
  readonly problems: ReadonlyMap<string, string>;
} {
  const problems = new Map<string, string>();
  const configs = rows.flatMap((row) => {
    const { servers, diagnostics } = loadServerConfigs({
      places: [{ scope: "explicit", file: FILE }],
      cwd,
      env,
      readText: (path) => (path === FILE ? { text: workerConfiguration([row]) } : readConfigText(path)),
    });
    const [first] = diagnostics.map((each) => showDiagnostic(each));
    if (servers.length === 0) problems.set(row.server, first ?? "its row cannot be used");
    run.notes.launches.set(row.server, row.hash);
    return servers.map(({ config }) => ({
      ...config,
      // A worker goes on without it: its gateways decide what that means.
      required: false,
      // Gateways review its tools, with the pins of the cluster.
      pin: "off" as const,
      ...(config.kind === "stdio" && config.cwd === undefined && { cwd }),
    }));
  });
  return { configs, problems };
}
