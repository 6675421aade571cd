// Three NATS servers, two gateways and two workers on this machine, which call each other until Ctrl-C, while you kill what you like.
//   npm run cluster:demo
import { setTimeout as pause } from "node:timers/promises";
import { natsServer } from "../test/kit/nats-server.ts";
import { startCallers, tallyOf } from "./callers.ts";
import { Cluster, type IndusNode, overlapsOf } from "./set-up.ts";

const SHOW_MS = 2_000;
const RESTART_MS = 3_000;
const SERVERS = ["notes", "tickets"];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const over = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => over.abort());

process.exitCode = await demo();
process.exit();

async function demo(): Promise<number> {
  if (natsServer === undefined) {
    print(
      "cluster:demo needs nats-server 2.12 or newer: put it on the path or name it in NATS_SERVER (https://github.com/nats-io/nats-server/releases), or on Debian run scripts/ci-extras",
    );
    return 2;
  }
  print("starting three NATS servers …");
  await using cluster = await Cluster.start({ servers: SERVERS });
  print("starting two workers and two gateways …");
  const nodes = new Map<string, IndusNode>();
  const start = async (name: string): Promise<void> => {
    nodes.set(name, await (name.startsWith("g") ? cluster.gateway(name) : cluster.worker(name)));
  };
  await Promise.all(["w1", "w2", "g1", "g2"].map(start));
  const urls = ["g1", "g2"].map((name) => nodes.get(name)?.url ?? "");
  print(`
  ${cluster.nats.nodes.map(({ name, pid }) => `NATS server ${name}: process ${pid}`).join("\n  ")}
  ${[...nodes].map(([name, { pid, url }]) => `${name.startsWith("g") ? "gateway" : "worker "} ${name}: process ${pid}${url === "" ? "" : `, ${url}`}`).join("\n  ")}

Connect a client to either gateway, with a token of this demo:
  claude mcp add --transport http indus ${urls[0]} --header "Authorization: Bearer ${cluster.token}"
Look at the cluster from another terminal:
  node packages/induscode/bin/indus.js cluster status --cluster ${cluster.nats.url}
Kill whatever you like, such as kill -9 ${nodes.get("w1")?.pid}: what was killed is started again after ${RESTART_MS / 1_000} s.
Ctrl-C ends everything.
`);
  const callers = startCallers(cluster, {
    // As a load balancer does, no gateway that is not there is asked.
    urls: () => [...nodes.values()].filter((node) => node.url !== "" && !node.hasEnded).map(({ url }) => url),
    ...{ servers: SERVERS, callers: 4, waitMs: 200 },
  });
  const restarting = restartEnded(cluster, nodes, start);
  while (!over.signal.aborted) {
    await pause(SHOW_MS, undefined, { signal: over.signal }).catch(() => {});
    const { ok, maybe, notRun, noGateway, hung, unsaid, twice, ranAfterAll, lost } = tallyOf(
      [...callers.calls],
      cluster.ran(),
    );
    const failed = [
      `${maybe} failed and may have run`,
      ...(notRun > 0 ? [`${notRun} failed and did not run`] : []),
      ...(noGateway > 0 ? [`${noGateway} lost their gateway`] : []),
      ...(hung + unsaid > 0 ? [`${hung + unsaid} failed without a word`] : []),
    ];
    const wrong = twice.length + ranAfterAll.length + lost.length + overlapsOf(cluster.instances()).length;
    print(
      `${ok} calls answered, ${failed.join(", ")}; ran twice: ${twice.length}, answered but lost: ${lost.length}, two processes of a server at once: ${overlapsOf(cluster.instances()).length}${wrong > 0 ? "  <- a bug" : ""}`,
    );
  }
  print("ending everything …");
  await restarting;
  // Calls under way end with their gateways.
  void callers.stop();
  return 0;
}

/** What systemd or Kubernetes does. */
async function restartEnded(
  cluster: Cluster,
  nodes: ReadonlyMap<string, IndusNode>,
  start: (name: string) => Promise<void>,
): Promise<void> {
  while (!over.signal.aborted) {
    for (const node of cluster.nats.nodes)
      if (!node.isRunning) await again(`NATS server ${node.name}`, async () => node.start());
    for (const [name, node] of nodes) if (node.hasEnded) await again(name, () => start(name));
    await pause(100);
  }
}

async function again(what: string, start: () => Promise<void>): Promise<void> {
  print(`${what} has ended`);
  await pause(RESTART_MS, undefined, { signal: over.signal }).catch(() => {});
  if (over.signal.aborted) return;
  await start().then(
    () => print(`${what} runs again`),
    (thrown: unknown) => over.signal.aborted || print(`${what} did not start: ${String(thrown)}`),
  );
}
