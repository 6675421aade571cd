import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { memoryMb } from "../../fleet/processes.ts";
import type { BenchCase } from "../case.ts";
import { type Figure, figureOf } from "../measure.ts";
import { HttpCaller } from "./http-caller.ts";
import { type Row, type Running, servedFolder, startServing } from "./running.ts";

/** Relative to the script that runs, which is in the folder above. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const SHELF = here("serve/shelf.mjs");
const HOST = here("serve/mounted-host.mjs");
const SERVERS = 50;
const TOOLS = 20;

function shelves(count: number): { readonly [id: string]: Row } {
  const row = { command: process.execPath, args: [SHELF, String(TOOLS)] };
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, row]));
}

async function served(
  servers: number,
  measure: (running: Running, caller: HttpCaller) => Promise<Figure>,
): Promise<Figure> {
  const folder = servedFolder(shelves(servers));
  const running = await folder.start();
  const caller = await new HttpCaller(running.url, 1).open();
  try {
    // The first list waits until all servers are there.
    await listed(caller, servers * TOOLS);
    return await measure(running, caller);
  } finally {
    caller.close();
    await running.close();
    folder.remove();
  }
}

async function listed(caller: HttpCaller, count: number): Promise<void> {
  const { tools } = await caller.request("tools/list");
  if (!Array.isArray(tools) || tools.length !== count) throw new Error("not all tools were listed");
}

async function timedMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Has no base: the figure and the budget are milliseconds. */
const list: BenchCase = {
  id: "serve-list-1000",
  summary: `tools/list of ${SERVERS * TOOLS} tools of ${SERVERS} servers through \`indus serve\` over HTTP, warm, in milliseconds`,
  measure: () =>
    served(SERVERS, async (_, caller) => {
      const samples: number[] = [];
      for (let round = 0; round < 21; round++)
        samples.push(await timedMs(() => listed(caller, SERVERS * TOOLS)));
      return figureOf(samples);
    }),
};

const SESSIONS = 1000;

/** Has no base: the figure and the budget are KB. One user of `indus serve` may open fewer, so this uses the library. */
const sessions: BenchCase = {
  id: "serve-session-kb",
  summary: `memory (PSS) of a gateway per open session, with ${SESSIONS} of them in one process, each after one call, in KB`,
  measure: async () => {
    const running = await startServing({ args: [HOST, process.execPath, SHELF, String(TOOLS)] });
    try {
      for (let warm = 0; warm < WARM_SESSIONS; warm++) await openSession(running.url);
      await sleep(SETTLE_MS);
      const before = sizeOf(running.pid);
      for (let count = 0; count < SESSIONS; count++) await openSession(running.url);
      await sleep(SETTLE_MS);
      return figureOf([((sizeOf(running.pid) - before) * 1024) / SESSIONS]);
    } finally {
      await running.close();
    }
  },
};

/** The session stays open; only the connection is closed. */
async function openSession(url: string): Promise<void> {
  const caller = await new HttpCaller(url, 1).open();
  await caller.request("tools/call", { name: "s0__tool_0", arguments: {} });
  caller.close();
}

/** So that everything is loaded and compiled. */
const WARM_SESSIONS = 50;
/** For the garbage of the last requests. */
const SETTLE_MS = 2_000;
const LARGE_MB = 50;

/** The base is the size of the result itself. */
const large: BenchCase = {
  id: "serve-50-mb",
  summary: `a result of ${LARGE_MB} MB through \`indus serve\`: the most memory (PSS) that it adds / its size`,
  measure: () =>
    served(1, async ({ pid }, caller) => {
      await caller.request("tools/call", { name: "s0__tool_0", arguments: {} });
      await sleep(SETTLE_MS);
      // Once: a process keeps some of the memory that a large result needed.
      const before = sizeOf(pid);
      const samples: number[] = [];
      for (let round = 0; round < 5; round++) {
        const call = caller.request("tools/call", {
          name: "s0__tool_0",
          arguments: { bytes: LARGE_MB * 1024 * 1024 },
        });
        samples.push(((await largestWhile(call, pid)) - before) / LARGE_MB);
      }
      return figureOf(samples);
    }),
};

async function largestWhile(work: Promise<unknown>, pid: number): Promise<number> {
  let most = 0;
  const sampler = setInterval(() => (most = Math.max(most, sizeOf(pid))), SAMPLE_MS);
  try {
    await work;
  } finally {
    clearInterval(sampler);
  }
  return most;
}

const SAMPLE_MS = 5;

function sizeOf(pid: number): number {
  return memoryMb([pid]) ?? Number.NaN;
}

export const serveSizeCases: readonly BenchCase[] = [list, sessions, large];
