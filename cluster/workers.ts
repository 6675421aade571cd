import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { startCallers, tallyOf } from "./callers.ts";
import type { Proof } from "./proof.ts";
import { Cluster, type IndusNode, loopback, machineMs, overlapsOf, until } from "./set-up.ts";

export interface WorkerKills {
  readonly kills: number;
  readonly leaseS?: number;
  /** False on a machine that is busy: the time of the next owner is reported only. */
  readonly isPaced?: boolean;
  /** How many workers. Default: 4. */
  readonly count?: number;
  /** How many NATS servers. Default: 3. */
  readonly nats?: number;
  readonly print: (line: string) => void;
}

const SERVERS = ["s1", "s2", "s3", "s4"];
const NEXT_MS = 3_000;

/** Kills workers while clients call, and compares what ran with what clients were told. */
export async function killWorkers({
  kills,
  leaseS = 20,
  isPaced = true,
  count = 4,
  nats = 3,
  print,
}: WorkerKills): Promise<Proof> {
  await using cluster = await Cluster.start({ servers: SERVERS, leaseS, places: loopback(nats) });
  const workers = new Map<number, IndusNode>();
  let started = 0;
  const startWorker = async (): Promise<void> => {
    const worker = await cluster.worker(`w${++started}`);
    workers.set(worker.pid, worker);
  };
  const [gateways] = await Promise.all([
    Promise.all(["g1", "g2"].map((name) => cluster.gateway(name))),
    ...Array.from({ length: count }, startWorker),
  ]);
  const callers = startCallers(cluster, {
    urls: () => gateways.map(({ url }) => url),
    servers: SERVERS,
    callers: 8,
    waitMs: 100,
  });
  const nextMs: number[] = [];
  let replacement = Promise.resolve();
  for (let kill = 0; kill < kills; kill++) {
    // Every server answers again before the next kill.
    const before = callers.calls.length;
    await until(() => {
      const since = callers.calls.slice(before).filter(({ outcome }) => outcome === "ok");
      return SERVERS.every((server) => since.some(({ id }) => id.endsWith(server))) || undefined;
    }, "an answer of every server").catch((thrown) => {
      print(tallyOf(callers.calls, cluster.ran()).texts.join("\n"));
      throw thrown;
    });
    await pause(randomInt(200));
    const owners = SERVERS.map((server) => cluster.lastOf(server)).flatMap((each) => each ?? []);
    const victim = workers.get(owners[kill % owners.length]?.worker ?? 0);
    if (!victim) throw new Error("the worker of a server is not known");
    const lost = owners.filter(({ worker }) => worker === victim.pid);
    const atMs = machineMs();
    workers.delete(victim.pid);
    const ended = victim.end("SIGKILL");
    for (const { server, pid } of lost) {
      const next = await until(() => {
        const last = cluster.lastOf(server);
        return last && last.pid !== pid ? last : undefined;
      }, `the next owner of ${server}`);
      const tookMs = next.startMs - atMs;
      nextMs.push(tookMs);
      if (tookMs > NEXT_MS)
        print(`workers: the next owner of ${server} started after ${Math.round(tookMs)} ms`);
    }
    await ended;
    // Its replacement starts while the next one is killed, as long as enough are left.
    await replacement;
    replacement = startWorker();
    if ((kill + 1) % 10 === 0)
      print(`workers: ${kill + 1} of ${kills} killed, ${callers.calls.length} calls`);
  }
  await replacement;
  const tally = tallyOf(await callers.stop(), cluster.ran());
  nextMs.sort((a, b) => a - b);
  const overlaps = overlapsOf(cluster.instances());
  const p50 = nextMs[Math.floor(nextMs.length / 2)] ?? Number.NaN;
  const slowest = nextMs.at(-1) ?? Number.NaN;
  const late = nextMs.filter((ms) => ms > NEXT_MS).length;
  return {
    title: "Workers killed",
    did: `${kills} times SIGKILL to a worker that owned servers (${count} workers, 2 gateways, lease ${leaseS} s), while 8 clients made ${tally.calls} counted calls.`,
    goals: [
      { goal: "calls that ran twice", wanted: 0, found: tally.twice.length },
      { goal: "calls said not to have run that did", wanted: 0, found: tally.ranAfterAll.length },
      { goal: "answered calls that did not run", wanted: 0, found: tally.lost.length },
      { goal: "calls without an answer", wanted: 0, found: tally.hung },
      { goal: "failures that do not say whether the call may have run", wanted: 0, found: tally.unsaid },
      { goal: "instances of a server that lived at the same time", wanted: 0, found: overlaps.length },
      ...(isPaced
        ? [{ goal: "next owners that started later than 3 s after the kill", wanted: 0, found: late }]
        : []),
    ],
    notes: [
      `${tally.ok} calls were answered, ${tally.maybe} failed and may have run, ${tally.notRun} failed and did not run.`,
      `The next owner of a server started ${Math.round(p50)} ms (median of ${nextMs.length}) after the kill, the slowest ${Math.round(slowest)} ms.`,
      ...overlaps.slice(0, 3),
    ],
    texts: tally.texts,
  };
}
