import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { memoryMb } from "../../fleet/processes.ts";
import { OUR_HTTP } from "../lane/cases.ts";
import { echoServer } from "../lane/comparisons.ts";
import { figureOf, TRIAL } from "../measure.ts";
import { HttpCaller } from "../serve/http-caller.ts";
import { type Running, startServing } from "../serve/running.ts";
import type { WorkRow } from "./page.ts";
import type { Measured } from "./parts.ts";

/** Relative to the script that runs, which is in the folder above. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const SERVERS = TRIAL ? [1, 10] : [1, 10, 100, 300];
const SESSIONS = TRIAL ? [1, 100] : [1, 100, 1_000];
const CALLS = TRIAL ? 640 : 6_400;
const LANES = 16;
const TEXT = "x".repeat(64);

/** How calls behave as servers and sessions become more. */
export async function growthParts(): Promise<readonly Measured[]> {
  const columns = ["calls/s", "p99 in ms", "memory (PSS) in MB"];
  const notes = [
    `${LANES} calls in flight, spread over all of them; memory of the gateway itself, at rest afterwards.`,
  ];
  const servers: WorkRow[] = [];
  for (const count of SERVERS)
    servers.push(told({ work: `${count} servers`, ...(await withServers(count)) }));
  const sessions: WorkRow[] = [];
  for (const count of SESSIONS)
    sessions.push(told({ work: `${count} sessions`, ...(await withSessions(count)) }));
  return [
    { title: "Growth: servers behind `indus serve --port`", notes, columns, rows: servers },
    { title: "Growth: sessions of one gateway (the library)", notes, columns, rows: sessions },
  ];
}

function told(row: WorkRow): WorkRow {
  process.stderr.write(`${row.work}: ${row.cells.join("  ")}\n`);
  return row;
}

type Figures = Omit<WorkRow, "work">;
type Call = (at: number) => Promise<unknown>;

async function withServers(count: number): Promise<Figures> {
  const { running, remove } = await OUR_HTTP.start(Array.from({ length: count }, () => echoServer()));
  const caller = await new HttpCaller(running.url, LANES).open();
  try {
    const { tools } = await caller.request("tools/list");
    const names = (tools as readonly { readonly name: string }[])
      .map(({ name }) => name)
      .filter((name) => name.endsWith("__echo"));
    if (names.length !== count) throw new Error(`${names.length} of ${count} servers are there`);
    return await loaded(running, (at) =>
      caller.request("tools/call", { name: names[at % count], arguments: { text: TEXT } }),
    );
  } finally {
    caller.close();
    await running.close();
    remove();
  }
}

async function withSessions(count: number): Promise<Figures> {
  const { command, args } = echoServer();
  const running = await startServing({ args: [here("serve/mounted-host.mjs"), command, ...args] });
  const callers: HttpCaller[] = [];
  try {
    for (let opened = 0; opened < count; opened++)
      callers.push(await new HttpCaller(running.url, LANES).open());
    return await loaded(running, async (at) =>
      callers[at % count]?.request("tools/call", { name: "s0__echo", arguments: { text: TEXT } }),
    );
  } finally {
    for (const caller of callers) caller.close();
    await running.close();
  }
}

async function loaded(running: Running, call: Call): Promise<Figures> {
  await round(call); // So that everything is loaded and compiled.
  const rounds: { readonly seconds: number; readonly p99: number }[] = [];
  for (let left = ROUNDS; left > 0; left--) rounds.push(await round(call));
  const seconds = figureOf(rounds.map((each) => each.seconds)).median;
  const p99 = figureOf(rounds.map((each) => each.p99)).median;
  await sleep(SETTLE_MS);
  return { base: "–", cells: [CALLS / seconds, p99, memoryMb([running.pid]) ?? null] };
}

const ROUNDS = TRIAL ? 1 : 5;
const SETTLE_MS = 4_000;

async function round(call: Call): Promise<{ readonly seconds: number; readonly p99: number }> {
  const times: number[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < CALLS) {
      const at = next++;
      const start = performance.now();
      await call(at);
      times.push(performance.now() - start);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: LANES }, lane));
  const seconds = (performance.now() - start) / 1000;
  return { seconds, p99: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN };
}
