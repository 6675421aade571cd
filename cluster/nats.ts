import { setTimeout as pause } from "node:timers/promises";
import type { NatsNode } from "../test/kit/nats-server.ts";
import { startBalancer } from "./balancer.ts";
import { type Callers, startCallers, type Tally, tallyOf } from "./callers.ts";
import type { Proof } from "./proof.ts";
import { Cluster, type IndusNode, overlapsOf, until } from "./set-up.ts";

const SERVERS = ["s1", "s2", "s3"];

const HOOK_MS = 1_000;
/** A server that is not healthy after this long is restarted, as the startup probe of its Helm chart does. */
const HEALTHY_MS = 45_000;
const MOST_RESTARTS = 5;
/** As many renewals as there are workers and gateways, twice: all have renewed. */
const RENEWALS = 8;

/** A part that a NATS server has at a moment. */
interface Role {
  readonly name: string;
  readonly find: (cluster: Cluster) => Promise<NatsNode | undefined>;
}

const ROLES: readonly Role[] = [
  { name: "leader of the cluster's metadata", find: (cluster) => metaLeader(cluster) },
  { name: "leader of the leases", find: (cluster) => streamLeader(cluster, "KV_indus_nodes") },
  { name: "leader of the owners", find: (cluster) => streamLeader(cluster, "KV_indus_owners") },
  { name: "leader of the configuration", find: (cluster) => streamLeader(cluster, "KV_indus_state") },
  { name: "the one that a worker is connected to", find: (cluster) => connectedTo(cluster, "indus worker") },
  {
    name: "the one that a gateway is connected to",
    find: (cluster) => connectedTo(cluster, "indus gateway"),
  },
];

export interface NatsKills {
  readonly kills: number;
  readonly print: (line: string) => void;
}

/** Kills NATS servers, one at a time and in every role, while clients call. */
export async function killNats({ kills, print }: NatsKills): Promise<Proof> {
  await using cluster = await Cluster.start({ servers: SERVERS });
  const workers = [await cluster.worker("w1"), await cluster.worker("w2")];
  const gateways = [await cluster.gateway("g1"), await cluster.gateway("g2")];
  const callers = startCallers(cluster, {
    ...{ urls: () => gateways.map(({ url }) => url), servers: SERVERS },
    ...{ callers: 6, waitMs: 100 },
  });
  const done = new Map<string, number>();
  const unhealthy: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await progress(callers);
    const role = ROLES[kill % ROLES.length];
    const node = await until(async () => role?.find(cluster), `a NATS server as ${role?.name}`);
    await node.end("SIGKILL");
    done.set(role?.name ?? "", (done.get(role?.name ?? "") ?? 0) + 1);
    await pause(1_000);
    node.start();
    for (let why: string | undefined; ; unhealthy.push(why)) {
      why = await node.untilReady(HEALTHY_MS).then(
        () => undefined,
        (thrown: Error) => thrown.message,
      );
      if (why === undefined) break;
      if (unhealthy.length === MOST_RESTARTS) throw new Error(`${why}, and it was restarted too often`);
      print(`nats: ${why}; it is restarted`);
      await node.end("SIGTERM");
      node.start();
    }
    await cluster.nats.untilReady();
    // One failure at a time: leases are renewed before the next one. Otherwise elections add up, and workers end their servers. A NATS
    // server names the leader that is gone for a while, so only new renewals tell.
    const before = await renewals(cluster);
    await until(
      async () => (await renewals(cluster)) >= before + RENEWALS || undefined,
      "renewed leases",
      60_000,
    );
    if ((kill + 1) % 10 === 0) print(`nats: ${kill + 1} of ${kills} killed, ${callers.calls.length} calls`);
  }
  await progress(callers);
  const tally = tallyOf(await callers.stop(), cluster.ran());
  const overlaps = overlapsOf(cluster.instances());
  return {
    title: "NATS servers killed",
    did: `${kills} times SIGKILL to one of three NATS servers, started again after a second, the next one when leases were renewed (2 workers, 2 gateways), while 6 clients made ${tally.calls} counted calls.`,
    goals: [
      ...callGoals(tally),
      { goal: "failed calls", wanted: 0, found: tally.calls - tally.ok },
      { goal: "workers and gateways that ended", wanted: 0, found: endedOf([...workers, ...gateways]) },
      { goal: "instances of a server that lived at the same time", wanted: 0, found: overlaps.length },
    ],
    notes: [
      [...done].map(([role, often]) => `${role}: ${often}`).join("; "),
      `The slowest call took ${slowestS(callers)} s.`,
      ...(unhealthy.length === 0
        ? []
        : [
            `${unhealthy.length} times a killed server was not healthy within ${HEALTHY_MS / 1000} s and was restarted, as the startup probe of its Helm chart does. Its own reason: ${[...new Set(unhealthy.map(reasonIn))].join("; ")}.`,
          ]),
    ],
    texts: tally.texts,
  };
}

/** What a health page of NATS says, without the stream. */
function reasonIn(why: string): string {
  return /is not current: ([^"]*)|"error":"([^"]*)/.exec(why)?.slice(1).find(Boolean) ?? "no answer";
}

export interface Restarts {
  readonly rounds: number;
  readonly print: (line: string) => void;
}

/** Restarts everything, one after the other, as an update does. */
export async function restartAll({ rounds, print }: Restarts): Promise<Proof> {
  await using cluster = await Cluster.start({ servers: SERVERS });
  const workers = [await cluster.worker("w1"), await cluster.worker("w2")];
  const gateways = [await cluster.gateway("g1"), await cluster.gateway("g2")];
  await using balancer = await startBalancer(gateways.map(({ url }) => url));
  const callers = startCallers(cluster, {
    ...{ urls: () => [balancer.url], servers: SERVERS },
    ...{ callers: 6, waitMs: 100 },
  });
  const restart = async (nodes: IndusNode[], start: (name: string) => Promise<IndusNode>): Promise<void> => {
    for (const [at, node] of nodes.entries()) {
      await progress(callers);
      if (node.url !== "") {
        // The hook before the end of a pod.
        balancer.use(node.url, false);
        await pause(HOOK_MS);
      }
      await node.end("SIGTERM");
      const again = await start(node.name);
      nodes[at] = again;
      if (again.url !== "") balancer.use(again.url, true);
    }
  };
  for (let round = 0; round < rounds; round++) {
    for (const node of cluster.nats.nodes) {
      await progress(callers);
      await node.end("SIGTERM");
      node.start();
      await cluster.nats.untilReady();
    }
    await restart(workers, (name) => cluster.worker(name));
    await restart(gateways, (name) => cluster.gateway(name));
    print(`restarts: round ${round + 1} of ${rounds}, ${callers.calls.length} calls`);
  }
  await progress(callers);
  const tally = tallyOf(await callers.stop(), cluster.ran());
  const overlaps = overlapsOf(cluster.instances());
  return {
    title: "Everything restarted in turn",
    did: `${rounds} rounds of SIGTERM and a new start to each of three NATS servers, two workers and two gateways (which a load balancer takes out a second before, as the preStop hook in deploy/ does), one after the other, while 6 clients made ${tally.calls} counted calls.`,
    goals: [
      ...callGoals(tally),
      { goal: "failed calls", wanted: 0, found: tally.calls - tally.ok },
      { goal: "instances of a server that lived at the same time", wanted: 0, found: overlaps.length },
    ],
    notes: [`The slowest call took ${slowestS(callers)} s.`],
    texts: tally.texts,
  };
}

function callGoals(tally: Tally): Proof["goals"] {
  return [
    { goal: "calls that ran twice", wanted: 0, found: tally.twice.length },
    { goal: "calls said not to have run that did", wanted: 0, found: tally.ranAfterAll.length },
    { goal: "calls without an answer", wanted: 0, found: tally.hung },
  ];
}

function slowestS({ calls }: Callers): string {
  return (Math.max(...calls.map(({ tookMs }) => tookMs)) / 1_000).toFixed(1);
}

function endedOf(nodes: readonly IndusNode[]): number {
  return nodes.filter(({ hasEnded }) => hasEnded).length;
}

/** Waits until some more calls were answered. */
async function progress({ calls }: Callers): Promise<void> {
  const ok = (): number => calls.filter(({ outcome }) => outcome === "ok").length;
  const before = ok();
  await until(() => ok() > before + 20 || undefined, "20 answered calls", 60_000).catch((thrown: Error) => {
    const failed = tallyOf(calls.slice(-200), []).texts.slice(0, 5).join("; ");
    throw new Error(`${thrown.message}; the last failures: ${failed || "none, calls only wait"}`);
  });
}

interface StreamDetail {
  readonly name: string;
  readonly cluster?: { readonly leader?: string };
  readonly state?: { readonly last_seq: number };
}

interface JetStreamPage {
  readonly meta_cluster?: { readonly leader?: string };
  readonly account_details?: readonly { readonly stream_detail?: readonly StreamDetail[] }[];
}

async function pageOf<Page>({ monitor }: NatsNode, path: string): Promise<Page | undefined> {
  try {
    const answer = await fetch(`${monitor}${path}`, { signal: AbortSignal.timeout(2_000) });
    return (await answer.json()) as Page;
  } catch {
    return undefined;
  }
}

async function streamsOf(node: NatsNode): Promise<readonly StreamDetail[]> {
  const page = await pageOf<JetStreamPage>(node, "/jsz?streams=true");
  return page?.account_details?.flatMap(({ stream_detail = [] }) => stream_detail) ?? [];
}

/** How often leases were renewed so far. */
async function renewals({ nats }: Cluster): Promise<number> {
  const pages = await Promise.all(nats.nodes.map((node) => streamsOf(node)));
  const found = pages.flat().filter(({ name }) => name === "KV_indus_nodes");
  return Math.max(0, ...found.map(({ state }) => state?.last_seq ?? 0));
}

async function metaLeader({ nats }: Cluster): Promise<NatsNode | undefined> {
  for (const node of nats.nodes) {
    const leader = (await pageOf<JetStreamPage>(node, "/jsz"))?.meta_cluster?.leader;
    if (leader) return nats.nodes.find(({ name }) => name === leader);
  }
  return undefined;
}

async function streamLeader({ nats }: Cluster, stream: string): Promise<NatsNode | undefined> {
  for (const node of nats.nodes) {
    const details = await streamsOf(node);
    const leader = details.find(({ name }) => name === stream)?.cluster?.leader;
    if (leader) return nats.nodes.find(({ name }) => name === leader);
  }
  return undefined;
}

async function connectedTo({ nats }: Cluster, client: string): Promise<NatsNode | undefined> {
  for (const node of nats.nodes) {
    const page = await pageOf<{ readonly connections?: readonly { readonly name?: string }[] }>(
      node,
      "/connz",
    );
    if (page?.connections?.some(({ name }) => name?.startsWith(client))) return node;
  }
  return undefined;
}
