import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./case.ts";
import { type Figure, figureOf, ratioOf, type Sampler } from "./measure.ts";
import { HttpCaller } from "./serve/http-caller.ts";
import { type Running, servedFolder } from "./serve/running.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const INDUS = here("../packages/induscode/bin/indus.js");
const ECHO = [here("../test/servers/server.mjs"), "--era", "legacy"];

/** Of one sample. */
const CALLS = 4_000;
const ROUNDS = 9;
const REST_MS = 20_000;
/** A stream that was closed is recorded for a moment longer, for a reader that comes back. */
const CLOSED_MS = 6_000;

interface Watched {
  readonly running: Running;
  readonly close: () => void;
}

/** A gateway with one echo server, for a comparison. */
async function withGateways<Result>(
  count: number,
  work: (gateways: readonly { readonly running: Running; readonly path: string }[]) => Promise<Result>,
): Promise<Result> {
  const folders = Array.from({ length: count }, () =>
    servedFolder({ echo: { command: process.execPath, args: ECHO } }),
  );
  const started: { running: Running; path: string }[] = [];
  try {
    for (const folder of folders) started.push({ running: await folder.start(), path: folder.path });
    return await work(started);
  } finally {
    for (const { running } of started) await running.close();
    for (const folder of folders) folder.remove();
  }
}

/** Opens the console's stream as its page does, and reads it without looking. */
async function openStream({
  running,
  path,
}: {
  readonly running: Running;
  readonly path: string;
}): Promise<Watched> {
  const base = new URL("/", running.url);
  const { stdout } = spawnSync(process.execPath, [INDUS, "console", "--print"], {
    cwd: path,
    env: { ...process.env, XDG_STATE_HOME: join(path, "state") },
    encoding: "utf8",
  });
  const code = stdout.trim().split("#link=")[1];
  const opened = await fetch(new URL("/console/session", base), {
    method: "POST",
    headers: { origin: base.origin, "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const { key } = (await opened.json()) as { readonly key: string };
  const headers = { "x-indus-session": key };
  await fetch(new URL("/console/snapshot", base), { headers });
  return new Promise((resolve, reject) => {
    const sent = request(new URL("/console/stream", base), { headers }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`the stream has status ${answer.statusCode}`));
      answer.resume();
      resolve({ running, close: () => answer.destroy() });
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** Processor time of the gateway's own process, in milliseconds. Its `stat` counts in steps of 10 ms, too coarse for a difference of 5 %. */
function spentMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spentNs = threads.map((id) => {
    const [running] = readFileSync(`/proc/${pid}/task/${id}/schedstat`, "latin1").split(" ");
    return Number(running);
  });
  return spentNs.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

async function calls({ running }: { readonly running: Running }, name: string): Promise<Sampler> {
  const caller = await new HttpCaller(running.url, 4).open();
  const call = async (): Promise<unknown> =>
    caller.request("tools/call", { name: "echo__echo", arguments: { text: "x".repeat(64) } });
  const lane = async (): Promise<void> => {
    for (let left = CALLS / 4; left > 0; left -= 1) await call();
  };
  return {
    name,
    sample: async () => {
      const before = spentMs(running.pid);
      await Promise.all(Array.from({ length: 4 }, lane));
      return spentMs(running.pid) - before;
    },
  };
}

function watchedCalls(isOpen: boolean): Promise<Figure> {
  return withGateways(2, async ([watched, plain]) => {
    if (!watched || !plain) throw new Error("no gateway");
    const stream = await openStream(watched);
    if (!isOpen) {
      stream.close();
      await sleep(CLOSED_MS);
    }
    const figure = await ratioOf(await calls(watched, "watched"), await calls(plain, "plain"), {
      rounds: ROUNDS,
    });
    stream.close();
    return figure;
  });
}

function rest(): Promise<Figure> {
  return withGateways(1, async ([watched]) => {
    if (!watched) throw new Error("no gateway");
    const stream = await openStream(watched);
    await sleep(CLOSED_MS);
    const shares: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const before = spentMs(watched.running.pid);
      await sleep(REST_MS);
      shares.push((spentMs(watched.running.pid) - before) / (REST_MS / 100));
    }
    stream.close();
    return figureOf(shares);
  });
}

export const consoleCases: readonly BenchCase[] = [
  {
    id: "console-stream-call",
    summary:
      "processor time of a gateway per call while a program reads the console's stream / without the console",
    measure: () => watchedCalls(true),
  },
  {
    id: "console-closed-call",
    summary: "the same after the stream was opened and closed / without the console",
    measure: () => watchedCalls(false),
  },
  {
    id: "console-stream-rest",
    summary: "processor time of a gateway at rest while a program reads the console's stream / 1 % of a core",
    measure: rest,
  },
];
