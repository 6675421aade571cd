import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Callers, startCallers, tallyOf } from "./callers.ts";
import { makeAccess, makeMachines } from "./machines.ts";
import type { Proof } from "./proof.ts";
import { Cluster, type IndusNode, overlapsOf, until } from "./set-up.ts";

export interface Partitions {
  readonly rounds: number;
  readonly leaseS: number;
  /** How long a cut lasts, in leases. */
  readonly leases: number;
  readonly print: (line: string) => void;
}

const SERVERS = ["s1", "s2", "s3"];
const NATS = ["n1", "n2", "n3"];
const MACHINES = [...NATS, "w1", "w2", "w3", "g1", "g2"];

/** Cuts machines apart for longer than a lease, and lets workers stand still, while clients call. */
export async function cutApart({ rounds, leaseS, leases, print }: Partitions): Promise<Proof> {
  using machines = makeMachines(MACHINES);
  const folder = mkdtempSync(join(tmpdir(), "indus-access-"));
  try {
    return await cutMachines();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }

  async function cutMachines(): Promise<Proof> {
    const access = makeAccess(
      folder,
      NATS.map((name) => machines.address(name)),
    );
    await using cluster = await Cluster.start({
      servers: SERVERS,
      leaseS,
      access: access.client,
      more: access.server,
      scheme: "tls",
      places: NATS.map((name) => ({ host: machines.address(name), prefix: machines.prefix(name) })),
    });
    const workers = new Map<string, IndusNode>();
    const startWorker = async (name: string): Promise<void> => {
      workers.set(name, await cluster.worker(name, { prefix: machines.prefix(name) }));
    };
    for (const name of ["w1", "w2", "w3"]) await startWorker(name);
    const gateways: IndusNode[] = [];
    for (const name of ["g1", "g2"])
      gateways.push(
        await cluster.gateway(name, { prefix: machines.prefix(name), host: machines.address(name) }),
      );
    const callers = startCallers(cluster, {
      ...{ urls: () => gateways.map(({ url }) => url), servers: SERVERS },
      ...{ callers: 6, waitMs: 200 },
    });
    // Whatever starts workers starts them again.
    let restarts = 0;
    const supervise = async (): Promise<void> => {
      for (const [name, worker] of workers)
        if (worker.hasEnded) {
          restarts += 1;
          await startWorker(name);
        }
    };
    /** A worker that owns a server. */
    const owner = (): string => {
      const pids = SERVERS.map((server) => cluster.lastOf(server)?.worker);
      return [...workers].find(([, { pid }]) => pids.includes(pid))?.[0] ?? "w1";
    };
    const CUTS: readonly (readonly [string, () => Promise<() => void>])[] = [
      [
        "a worker from NATS",
        async () => {
          const name = owner();
          machines.cut(name, NATS);
          return () => machines.heal(name, NATS);
        },
      ],
      [
        "a gateway from NATS",
        async () => {
          machines.cut("g1", NATS);
          return () => machines.heal("g1", NATS);
        },
      ],
      [
        "a NATS server from the others",
        async () => {
          machines.cut("n1", ["n2", "n3"]);
          return () => machines.heal("n1", ["n2", "n3"]);
        },
      ],
      [
        "a worker that stands still (SIGSTOP)",
        async () => {
          const worker = workers.get(owner());
          worker?.signal("SIGSTOP");
          return () => worker?.signal("SIGCONT");
        },
      ],
    ];
    const counts = new Map<string, number>();
    for (let round = 0; round < rounds; round++)
      for (const [name, cut] of CUTS) {
        await settled(callers, supervise);
        const heal = await cut();
        await pause(leaseS * leases * 1_000);
        heal();
        counts.set(name, (counts.get(name) ?? 0) + 1);
        print(`partitions: ${name} (${round + 1} of ${rounds}), ${callers.calls.length} calls`);
      }
    await settled(callers, supervise);
    const calls = await callers.stop();
    const tally = tallyOf(calls, cluster.ran());
    const overlaps = overlapsOf(cluster.instances());
    return {
      title: "Machines cut apart",
      did: `Each machine is a network namespace with its own address; packets between those that are cut apart are dropped, so no connection ends. Cuts and standstills last ${leaseS * leases} s, and the lease ${leaseS} s (3 NATS servers with TLS, 3 workers, 2 gateways), while 6 clients made ${tally.calls} counted calls.`,
      goals: [
        { goal: "instances of a server that lived at the same time", wanted: 0, found: overlaps.length },
        { goal: "calls that ran twice", wanted: 0, found: tally.twice.length },
        { goal: "calls said not to have run that did", wanted: 0, found: tally.ranAfterAll.length },
        { goal: "calls without an answer", wanted: 0, found: tally.hung },
        {
          goal: "failures that do not say whether the call may have run",
          wanted: 0,
          found: tally.unsaid,
        },
      ],
      notes: [
        [...counts].map(([name, often]) => `${name}: ${often}`).join("; "),
        `${tally.ok} calls were answered, ${tally.maybe} failed and may have run, ${tally.notRun} failed and did not run.`,
        `${cluster.instances().length} instances ran one after the other; ${restarts} workers had ended and were started again.`,
        ...overlaps.slice(0, 3),
      ],
      texts: tally.texts,
    };
  }
}

/** Waits until every server answers again. */
async function settled({ calls }: Callers, supervise: () => Promise<void>): Promise<void> {
  const before = calls.length;
  await until(
    async () => {
      await supervise();
      const since = calls.slice(before).filter(({ outcome }) => outcome === "ok");
      return SERVERS.every((server) => since.some(({ id }) => id.endsWith(server))) || undefined;
    },
    "an answer of every server",
    120_000,
  );
}
