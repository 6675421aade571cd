import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { availableParallelism } from "node:os";
import { describeError } from "indusagi/core";
import { modernRequest, send, textOf } from "../packages/indusagi/test/interop/host/http/raw-http.ts";
import type { Proof } from "./proof.ts";
import { Cluster, type IndusNode } from "./set-up.ts";

export interface ScalingProof {
  /** How long calls are made for each number of workers. */
  readonly seconds: number;
  readonly print: (line: string) => void;
}

const SERVERS = ["s1", "s2", "s3", "s4"];
const WORKERS = [1, 2, 4];
const AT_ONCE = 64;
/** A call that takes longer has failed: the proof has to end also if a gateway does not answer. */
const CALL_MS = 20_000;
/** Which part of the time goes before it: everything is started, loaded and compiled. */
const WARM_UP = 0.5;

interface Run {
  readonly workers: number;
  readonly calls: number;
  readonly perSecond: number;
  readonly failures: readonly string[];
  /** Milliseconds of processor time for a thousand calls, by kind of process. */
  readonly spent: { readonly [kind: string]: number };
  /** Which share of their time the processors were busy. */
  readonly busy: number;
}

/** The same calls through one gateway to the same four servers on 1, 2 and 4 workers, and who used the processors. */
export async function measureScaling({ seconds, print }: ScalingProof): Promise<Proof> {
  const runs: Run[] = [];
  for (const count of WORKERS) {
    const run = await measured(count, seconds);
    print(`scaling: ${workersOf(run)}: ${Math.round(run.perSecond)} calls a second`);
    runs.push(run);
  }
  const cores = availableParallelism();
  const failures = runs.flatMap((run) => run.failures);
  return {
    title: "More workers",
    did: `Calls for ${seconds} s, ${AT_ONCE} at once, through one gateway to ${SERVERS.length} servers on 1, 2 and 4 workers. ${boundOf(runs, cores)}`,
    goals: [{ goal: "failed calls", wanted: 0, found: failures.length }],
    notes: runs.map((run) => {
      const parts = Object.entries(run.spent).map(([kind, ms]) => `${kind} ${Math.round(ms)} ms`);
      const all = Object.values(run.spent).reduce((sum, ms) => sum + ms, 0);
      return `${workersOf(run)}: ${Math.round(run.perSecond)} calls a second (${run.calls}), the processors busy for ${Math.round(run.busy * 100)} % of the time. Processor time of a thousand calls: ${Math.round(all)} ms (${parts.join(", ")}).`;
    }),
    texts: [...new Set(failures)],
  };
}

function workersOf({ workers }: Run): string {
  return workers === 1 ? "1 worker" : `${workers} workers`;
}

/** What limits these figures. */
function boundOf(runs: readonly Run[], cores: number): string {
  const shared = `Everything shares ${cores} processors with the clients and three NATS servers`;
  const idlest = Math.min(...runs.map(({ busy }) => busy));
  return idlest >= BUSY
    ? `${shared}, which were busy all the time: the calls are bound by the processors, not by the number of workers. This shows what the processors are used for, and not how a cluster of several machines grows.`
    : `${shared}, which were idle for up to ${Math.round((1 - idlest) * 100)} % of the time: there the calls are bound by the gateway, which uses one processor at most.`;
}

const BUSY = 0.9;

async function measured(count: number, seconds: number): Promise<Run> {
  await using cluster = await Cluster.start({ servers: SERVERS });
  const workers: IndusNode[] = [];
  for (let at = 1; at <= count; at++)
    workers.push(await cluster.worker(`w${at}`, {}, ["--capacity", String(SERVERS.length / count)]));
  const gateway = await cluster.gateway("g1");
  const failures: string[] = [];
  // Clients keep their connections: a new one for each call would cost gateway and clients more than the call.
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const callFor = async (ms: number): Promise<number> => {
    const untilMs = performance.now() + ms;
    let calls = 0;
    const caller = async (at: number): Promise<void> => {
      for (let round = at; performance.now() < untilMs; round++) {
        const text = `call ${round}`;
        const name = `${SERVERS[round % SERVERS.length]}__echo`;
        const { headers, body } = modernRequest(1, "tools/call", { name, arguments: { text } });
        const bearer = { authorization: `Bearer ${cluster.token}` };
        const signal = AbortSignal.timeout(CALL_MS);
        try {
          const answer = await send(gateway.url, { body, headers: { ...headers, ...bearer }, agent, signal });
          calls += 1;
          if (textOf(answer) !== text) failures.push(answer.text.slice(0, 300));
        } catch (thrown) {
          failures.push(describeError(thrown));
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => caller(at)));
    return calls;
  };
  await callFor(seconds * WARM_UP * 1_000);
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
  const calls = await callFor(seconds * 1_000);
  const passedMs = performance.now() - startMs;
  const after = [Object.values(pids).map(ticksOf), machineTicks()] as const;
  const spent = Object.keys(pids).map((kind, at) => {
    const ticks = (after[0][at] ?? 0) - (before[0][at] ?? 0);
    return [kind, ((ticks / TICKS_A_SECOND) * 1_000) / (calls / 1_000)] as const;
  });
  agent.destroy();
  const passed = after[1].all - before[1].all;
  return {
    workers: count,
    calls,
    perSecond: calls / (passedMs / 1_000),
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
