import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { modernRequest, send, textOf } from "../packages/indusagi/test/interop/host/http/raw-http.ts";
import type { Proof } from "./proof.ts";
import { Cluster, type IndusNode } from "./set-up.ts";

export interface ScalingProof {
  readonly calls: number;
  readonly print: (line: string) => void;
}

const SERVERS = ["s1", "s2", "s3", "s4"];
const WORKERS = [1, 2, 4];
const AT_ONCE = 64;

interface Run {
  readonly workers: number;
  readonly perSecond: number;
  readonly failures: readonly string[];
  /** Seconds of processor time for a thousand calls, by kind of process. */
  readonly spent: { readonly [kind: string]: number };
  /** Which share of their time the processors were busy. */
  readonly busy: number;
}

/** The same calls through one gateway to the same four servers on 1, 2 and 4 workers, and who used the processors. */
export async function measureScaling({ calls, print }: ScalingProof): Promise<Proof> {
  const runs: Run[] = [];
  for (const count of WORKERS) {
    const run = await measured(count, calls);
    print(`scaling: ${count} workers: ${Math.round(run.perSecond)} calls a second`);
    runs.push(run);
  }
  const cores = availableParallelism();
  const failures = runs.flatMap((run) => run.failures);
  return {
    title: "More workers",
    did: `${calls} calls, ${AT_ONCE} at once, through one gateway to ${SERVERS.length} servers on 1, 2 and 4 workers. Everything shares ${cores} processors with the clients and three NATS servers, so this shows what the processors are used for, and not how a cluster of several machines grows.`,
    goals: [{ goal: "failed calls", wanted: 0, found: failures.length }],
    notes: runs.map(
      ({ workers, perSecond, spent, busy }) =>
        `${workers} ${workers === 1 ? "worker" : "workers"}: ${Math.round(perSecond)} calls a second, the processors busy for ${Math.round(busy * 100)} % of the time. Processor time of a thousand calls: ${Object.entries(
          spent,
        )
          .map(([kind, seconds]) => `${kind} ${Math.round(seconds * 1_000)} ms`)
          .join(", ")}.`,
    ),
    texts: [...new Set(failures)],
  };
}

async function measured(count: number, calls: number): Promise<Run> {
  await using cluster = await Cluster.start({ servers: SERVERS });
  const workers: IndusNode[] = [];
  for (let at = 1; at <= count; at++)
    workers.push(await cluster.worker(`w${at}`, {}, ["--capacity", String(SERVERS.length / count)]));
  const gateway = await cluster.gateway("g1");
  const failures: string[] = [];
  const callAll = async (total: number): Promise<void> => {
    let left = total;
    const caller = async (at: number): Promise<void> => {
      for (let round = at; left-- > 0; round++) {
        const text = `call ${round}`;
        const name = `${SERVERS[round % SERVERS.length]}__echo`;
        const { headers, body } = modernRequest(1, "tools/call", { name, arguments: { text } });
        const bearer = { authorization: `Bearer ${cluster.token}` };
        const answer = await send(gateway.url, { body, headers: { ...headers, ...bearer } });
        if (textOf(answer) !== text) failures.push(answer.text.slice(0, 300));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => caller(at)));
  };
  await callAll(calls / 2); // Everything is started, loaded and compiled.
  const servers = cluster.instances().map(({ pid }) => pid);
  const pids: { readonly [kind: string]: readonly number[] } = {
    gateway: [gateway.pid],
    workers: workers.map(({ pid }) => pid),
    servers: [...new Set(servers)],
    NATS: cluster.nats.nodes.map(({ pid }) => pid),
    clients: [process.pid],
  };
  const before = [Object.values(pids).map(ticksOf), machineTicks()] as const;
  const startMs = performance.now();
  await callAll(calls);
  const seconds = (performance.now() - startMs) / 1_000;
  const after = [Object.values(pids).map(ticksOf), machineTicks()] as const;
  const spent = Object.keys(pids).map((kind, at) => {
    const ticks = (after[0][at] ?? 0) - (before[0][at] ?? 0);
    return [kind, ticks / TICKS_A_SECOND / (calls / 1_000)] as const;
  });
  const passed = after[1].all - before[1].all;
  return {
    workers: count,
    perSecond: calls / seconds,
    failures,
    spent: Object.fromEntries(spent),
    busy: 1 - (after[1].idle - before[1].idle) / passed,
  };
}

const TICKS_A_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** The processor time of processes so far, in ticks. */
export function ticksOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
}

/** The ticks of all processors since the machine started. */
function machineTicks(): { readonly all: number; readonly idle: number } {
  const [line = ""] = readFileSync("/proc/stat", "latin1").split("\n");
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  return { all: ticks.reduce((sum, each) => sum + each, 0), idle: (ticks[3] ?? 0) + (ticks[4] ?? 0) };
}
