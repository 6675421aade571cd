import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { joinSignals } from "indusagi/core";
import { openRun, type Run, type SharedState } from "../boot/internal.ts";
import type { DecisionRecord } from "../deck/ledger-log/index.ts";
import { openSharedFolder } from "../state/index.ts";
import { type ClusterAddress, type ClusterConnection, connectCluster } from "./connect-cluster.ts";
import { Bucket, type NodeRole } from "./contract.ts";
import { decisionLedger } from "./record-servers.ts";
import { clusterLogins, openSealedLogins } from "./sealed-logins.ts";
import { recordDecisions } from "./server-ledger.ts";
import { sharedCatalogue } from "./shared-catalogue.ts";
import { sharedClashes } from "./shared-clashes.ts";
import { sharedPins } from "./shared-pins.ts";
import { openSharedTexts } from "./shared-texts.ts";
import { openSharedTrail } from "./shared-trail.ts";

/** What every node of a cluster is told on its command line. */
export interface NodeRequest {
  readonly address: ClusterAddress;
  /** What people call it. Default: the host's name and the process id. */
  readonly name?: string | undefined;
  /** A file with the secret that nodes share. It seals what clients hold, and the logins; it never lies in NATS. */
  readonly keyFile?: string | undefined;
}

/** A connection to the cluster, and a run with a folder of its own: what it keeps is the cluster's, not that of a project. */
export interface ClusterRun {
  readonly connection: ClusterConnection;
  readonly run: Run;
  readonly name: string;
  /** Ends the run, with the reason. */
  readonly end: (why: string) => void;
  /** Decisions about changed tools go there, and not to the ledger as those of nobody in particular. */
  readonly decideWith: (decide: Decide) => void;
}

type Decide = (decision: DecisionRecord) => Promise<void>;

export async function openClusterRun(parent: Run, role: NodeRole, request: NodeRequest): Promise<ClusterRun> {
  const { name = `${hostname()}-${process.pid}` } = request;
  const connection = await parent.open(connectCluster(request.address, `indus ${role} ${name}`));
  const id = await connection.id();
  // With a name of its own a node finds what it kept, and shares it with no other.
  const own = request.name === undefined ? role : `${role}-${request.name}`;
  const folder = join(await openSharedFolder("clusters", parent.env), id, own);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const ending = new AbortController();
  const signal = joinSignals(parent.signal, ending.signal);
  const { terminal, env } = parent;
  let decide: Decide = (decision) => recordDecisions(connection, [decision]);
  const ledger = decisionLedger((decision) => decide(decision), parent.report);
  // Opened before the run: the last calls are recorded when it ends.
  const trail = role === "gateway" ? await parent.open(openTrail(parent, connection, folder)) : undefined;
  // Gateways review what servers say about themselves; a worker passes it on.
  const known = role === "gateway" ? await openKnown(parent, connection) : undefined;
  const { keyFile } = request;
  // A gateway logs in nowhere.
  const store = role === "worker" && keyFile !== undefined && (await openSealedLogins(connection, keyFile));
  const shared: SharedState = {
    ledger,
    // A worker sees neither tokens nor clients: gateways record the calls.
    auditTrail: async () => trail,
    ...known,
    ...(store && { logins: async () => clusterLogins(store, parent.report) }),
  };
  const run = await parent.open(openRun({ terminal, env, cwd: folder, signal, shared }));
  return {
    connection,
    run,
    name,
    end: (why) => ending.abort(new Error(why)),
    decideWith: (given) => (decide = given),
  };
}

async function openTrail(
  { report }: Run,
  connection: ClusterConnection,
  folder: string,
): Promise<ReturnType<typeof openSharedTrail>> {
  return openSharedTrail(connection, { folder: join(folder, "audit"), report });
}

/** What gateways know about servers. All of it is here when this resolves. */
async function openKnown(
  parent: Run,
  connection: ClusterConnection,
): Promise<Pick<SharedState, "catalogue" | "clashes" | "pins">> {
  const { report } = parent;
  const [pins, catalogue] = await Promise.all([
    parent.open(openSharedTexts(connection, Bucket.PINS, report)),
    parent.open(openSharedTexts(connection, Bucket.CATALOGUE, report)),
  ]);
  return {
    catalogue: await parent.open(Promise.resolve(sharedCatalogue(catalogue, { report }))),
    clashes: sharedClashes(catalogue, report),
    pins: { store: sharedPins(pins), words: ["--cluster", connection.address.urls.join(",")] },
  };
}
