import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { memoryMb } from "../../fleet/processes.ts";
import { type Figure, figureOf, ratioOf, ratiosTo, type Sampler } from "../measure.ts";
import { HttpCaller, type Revision } from "../serve/http-caller.ts";
import { type Row, type Running, startServing } from "../serve/running.ts";
import { Driven, type DriveOptions, processorMs, type StdioTarget } from "./driven.ts";

/** Relative to the script that runs, which is in the folder above. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const ECHO = here("lane/echo.mjs");
const RAW = here("lane/clients/raw.mjs");
const TEXT = "x".repeat(64);

/** Of the echo server, besides those that are asked for. */
const OWN_TOOLS = 2;

/** A client that is compared with one written by hand. */
export type ClientSide = { readonly name: string } & DriveOptions;

/** A gateway on standard input and output. */
export interface StdioSide {
  readonly name: string;
  /** How a client starts it in front of one server. `remove` deletes what it needed. */
  readonly open: (server: Row) => { readonly target: StdioTarget; readonly remove: () => void };
}

/** A gateway over HTTP. */
export interface HttpSide {
  readonly name: string;
  /** `tool` is the prefix that tools have behind it. */
  readonly start: (
    servers: readonly Row[],
  ) => Promise<{ readonly running: Running; readonly prefix: string; readonly remove: () => void }>;
}

/** The server of all comparisons, with this many more tools. */
export function echoServer(tools = 0): Row {
  return { command: process.execPath, args: [ECHO, "stdio", String(tools)] };
}

/**
 * Many short rounds: what else the machine does lasts longer than a round, and so is in both sides of a ratio or in few of them. Beside
 * many others fewer: the others are for the page only, and slow.
 */
function roundsFor(sides: readonly unknown[]): number {
  return sides.length > 1 ? 9 : 41;
}

/** Runs the work with clients that are ended afterwards. */
async function withClients<Result>(
  sides: readonly DriveOptions[],
  work: (clients: readonly Driven[]) => Promise<Result>,
): Promise<Result> {
  const clients: Driven[] = [];
  try {
    for (const side of sides) clients.push(await Driven.start(side));
    return await work(clients);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** Each client beside the one written by hand, which runs on the same Node. */
async function clientRatios(
  sides: readonly ClientSide[],
  rounds: number,
  samplerOf: (client: Driven) => Promise<() => Promise<number>>,
): Promise<Figure[]> {
  const base = { name: "raw", client: RAW, ...(sides[0]?.node === undefined ? {} : { node: sides[0].node }) };
  return withClients([base, ...sides], async (clients) => {
    const samplers: Sampler[] = [];
    for (const [at, client] of clients.entries()) {
      const name = at === 0 ? base.name : (sides[at - 1]?.name ?? "");
      samplers.push(await tolerant(name, () => samplerOf(client)));
    }
    return ratiosTo(samplers[0] as Sampler, samplers.slice(1), { rounds });
  });
}

/** A side that fails has no figure; the others keep theirs. */
async function tolerant(name: string, open: () => Promise<() => Promise<number>>): Promise<Sampler> {
  const failed = (thrown: unknown): number => {
    process.stderr.write(`${name}: ${String(thrown).split("\n").slice(0, 2).join(" ")}\n`);
    return Number.NaN;
  };
  let take: (() => Promise<number>) | undefined;
  try {
    take = await open();
  } catch (thrown) {
    failed(thrown);
  }
  return {
    name,
    sample: async () => {
      try {
        return take ? await take() : Number.NaN;
      } catch (thrown) {
        take = undefined;
        return failed(thrown);
      }
    },
  };
}

/** Wall time of calls of a small tool. */
export function clientCalls(sides: readonly ClientSide[], inFlight: number): Promise<Figure[]> {
  const calls = inFlight === 1 ? 600 : 3_200;
  return clientRatios(sides, roundsFor(sides), async (client) => {
    await client.do({ action: "connect", target: echoServer() });
    return async () => (await client.do({ action: "call", calls, inFlight })).ms;
  });
}

/** The median time of a call, one after another. Other programs disturb it less; it hides collections. */
export function clientMedianCall(sides: readonly ClientSide[]): Promise<Figure[]> {
  return clientRatios(sides, roundsFor(sides), async (client) => {
    await client.do({ action: "connect", target: echoServer() });
    return async () => (await client.do({ action: "median", calls: 400 })).ms;
  });
}

/** Wall time of one large result. */
export function clientLargeResult(sides: readonly ClientSide[], bytes: number): Promise<Figure[]> {
  return clientRatios(sides, 7, async (client) => {
    await client.do({ action: "connect", target: echoServer() });
    return async () => (await client.do({ action: "huge", bytes })).ms;
  });
}

/** Processor time of the client from starting a server until its tools are listed. */
export function clientList(sides: readonly ClientSide[], tools: number): Promise<Figure[]> {
  const target = echoServer(tools);
  return clientRatios(sides, sides.length > 1 ? 9 : 15, async (client) => {
    const take = async (): Promise<number> =>
      (await client.do({ action: "listed", target, count: tools + OWN_TOOLS })).cpuMs;
    for (let warm = 0; warm < 3; warm++) await take();
    return take;
  });
}

/** Wall time until all servers are mounted, in a process that has imported the client and done nothing else. */
export async function clientMount(sides: readonly ClientSide[], count: number): Promise<Figure[]> {
  const target = { ...echoServer(), count };
  const once = (side: DriveOptions) => async (): Promise<number> =>
    withClients(
      [side],
      async ([client]) => (await client?.do({ action: "mount", target }))?.ms ?? Number.NaN,
    );
  const base = { client: RAW, ...(sides[0]?.node === undefined ? {} : { node: sides[0].node }) };
  const samplers: Sampler[] = [];
  for (const side of sides) samplers.push(await tolerant(side.name, async () => once(side)));
  return ratiosTo({ name: "bare nodes", sample: once(base) }, samplers, { rounds: count > 20 ? 7 : 11 });
}

/** A hand-written client, directly at the server and through each gateway. */
async function stdioRatios(
  sides: readonly StdioSide[],
  options: { readonly rounds: number; readonly tools?: number },
  samplerOf: (client: Driven, target: StdioTarget) => Promise<() => Promise<number>>,
): Promise<Figure[]> {
  const server = echoServer(options.tools);
  const opened = sides.map((side) => ({ name: side.name, ...side.open(server) }));
  const targets = [{ name: "direct", target: server }, ...opened];
  try {
    return await withClients(
      targets.map(() => ({ client: RAW })),
      async (clients) => {
        const samplers: Sampler[] = [];
        for (const [at, { name, target }] of targets.entries())
          samplers.push(await tolerant(name, () => samplerOf(clients[at] as Driven, target)));
        return ratiosTo(samplers[0] as Sampler, samplers.slice(1), { rounds: options.rounds });
      },
    );
  } finally {
    for (const { remove } of opened) remove();
  }
}

/** Connects and waits until the gateway lists the tools of its server. */
async function ready(client: Driven, target: StdioTarget, tools = 0): Promise<number> {
  const { pid = 0 } = await client.do({ action: "connect", target });
  await client.do({ action: "list", times: 1, count: tools + OWN_TOOLS });
  return pid;
}

/** Wall time of calls through a gateway on standard input and output. */
export function stdioGatewayCalls(sides: readonly StdioSide[], inFlight: number): Promise<Figure[]> {
  return stdioRatios(sides, { rounds: roundsFor(sides) }, async (client, target) => {
    await ready(client, target);
    return async () => (await client.do({ action: "call", calls: 2_560, inFlight })).ms;
  });
}

/** Processor time of the gateway for lists / that of the server, asked directly. */
export function stdioGatewayList(sides: readonly StdioSide[], tools: number): Promise<Figure[]> {
  const times = Math.ceil(20_000 / tools);
  return stdioRatios(sides, { rounds: 9, tools }, async (client, target) => {
    const pid = await ready(client, target, tools);
    return async () => {
      const before = processorMs(pid);
      await client.do({ action: "list", times, count: tools + OWN_TOOLS });
      return processorMs(pid) - before;
    };
  });
}

/** Wall time of one large result through a gateway / directly. */
export function stdioGatewayLargeResult(sides: readonly StdioSide[], bytes: number): Promise<Figure[]> {
  return stdioRatios(sides, { rounds: 7 }, async (client, target) => {
    await ready(client, target);
    return async () => (await client.do({ action: "huge", bytes })).ms;
  });
}

interface Served {
  readonly name: string;
  readonly url: string;
  readonly prefix: string;
  readonly pid: number;
}

/** The server of the comparisons over HTTP, and each gateway in front of the same one. */
async function withServed<Result>(
  sides: readonly HttpSide[],
  work: (served: readonly Served[]) => Promise<Result>,
  tools = 0,
): Promise<Result> {
  const closing: (() => Promise<void>)[] = [];
  try {
    const direct = await startServing({ args: [ECHO, "http", String(tools)] });
    closing.push(() => direct.close());
    const served: Served[] = [{ name: "direct", url: direct.url, prefix: "", pid: direct.pid }];
    for (const { name, start } of sides) {
      try {
        const { running, prefix, remove } = await start([echoServer(tools)]);
        closing.push(async () => {
          await running.close();
          remove();
        });
        served.push({ name, url: running.url, prefix, pid: running.pid });
      } catch (thrown) {
        process.stderr.write(`${name} did not start: ${String(thrown).split("\n")[0]}\n`);
        served.push({ name, url: "http://127.0.0.1:9/", prefix: "", pid: 0 });
      }
    }
    return await work(served);
  } finally {
    for (const close of closing) await close();
  }
}

/** Calls over HTTP by a client of a revision. One in flight: the median time of a call; more: the time of all. */
export function httpGatewayCalls(
  sides: readonly HttpSide[],
  revision: Revision,
  inFlight: number,
): Promise<Figure[]> {
  const rounds = roundsFor(sides);
  return withServed(sides, async (served) => {
    const samplers: Sampler[] = [];
    const callers: HttpCaller[] = [];
    for (const { name, url, prefix } of served) {
      const open = async (): Promise<() => Promise<number>> => {
        const caller = new HttpCaller(url, inFlight, { revision });
        callers.push(caller);
        await caller.open();
        await listedTools(caller);
        const call = (): Promise<unknown> =>
          caller.request("tools/call", { name: `${prefix}echo`, arguments: { text: TEXT } });
        await call();
        return inFlight === 1 ? () => medianCall(call, 100) : () => together(call, 640, inFlight);
      };
      samplers.push(await tolerant(name, open));
    }
    try {
      return await ratiosTo(samplers[0] as Sampler, samplers.slice(1), { rounds });
    } finally {
      for (const caller of callers) caller.close();
    }
  });
}

/** The same over HTTP. */
export function httpGatewayList(sides: readonly HttpSide[], tools: number): Promise<Figure[]> {
  const times = Math.ceil(20_000 / tools);
  const measure = async (served: readonly Served[]): Promise<Figure[]> => {
    const callers = served.map(({ url }) => new HttpCaller(url, 1));
    const samplers: Sampler[] = [];
    for (const [at, { name, pid }] of served.entries()) {
      const caller = callers[at] as HttpCaller;
      const open = async (): Promise<() => Promise<number>> => {
        await caller.open();
        await listedTools(caller, tools);
        return async () => {
          const before = processorMs(pid);
          for (let left = times; left > 0; left--) await listedTools(caller, tools);
          return processorMs(pid) - before;
        };
      };
      samplers.push(await tolerant(name, open));
    }
    try {
      return await ratiosTo(samplers[0] as Sampler, samplers.slice(1), { rounds: 9 });
    } finally {
      for (const caller of callers) caller.close();
    }
  };
  return withServed(sides, measure, tools);
}

/** The first list waits until the servers of a gateway are there. */
async function listedTools(caller: HttpCaller, more = 0): Promise<void> {
  let count = 0;
  for (let cursor: unknown; ; ) {
    const page = await caller.request("tools/list", cursor === undefined ? {} : { cursor });
    count += (page["tools"] as readonly unknown[]).length;
    cursor = page["nextCursor"];
    if (cursor === undefined) break;
  }
  if (count < more + OWN_TOOLS) throw new Error(`only ${count} tools are listed`);
}

async function medianCall(call: () => Promise<unknown>, calls: number): Promise<number> {
  return figureOf(await callTimes(call, calls)).median;
}

async function callTimes(call: () => Promise<unknown>, calls: number): Promise<number[]> {
  const times: number[] = [];
  for (let left = calls; left > 0; left--) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  return times;
}

async function together(call: () => Promise<unknown>, calls: number, inFlight: number): Promise<number> {
  const lane = async (): Promise<void> => {
    for (let left = calls / inFlight; left > 0; left--) await call();
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  return performance.now() - start;
}

/** Wall time of one large result over HTTP / over a pipe, without a gateway, by a hand-written client. */
export function httpGatewayLargeResult(sides: readonly HttpSide[], bytes: number): Promise<Figure[]> {
  return withServed(sides, async (served) =>
    withClients([{ client: RAW }], async ([raw]) => {
      await raw?.do({ action: "connect", target: echoServer() });
      const base: Sampler = {
        name: "raw",
        sample: async () => (await raw?.do({ action: "huge", bytes }))?.ms ?? Number.NaN,
      };
      const callers: HttpCaller[] = [];
      const samplers: Sampler[] = [];
      for (const { name, url, prefix } of served.slice(1)) {
        const open = async (): Promise<() => Promise<number>> => {
          const caller = new HttpCaller(url, 1);
          callers.push(caller);
          await caller.open();
          await listedTools(caller);
          const huge = { name: `${prefix}huge`, arguments: { bytes } };
          return () => together(() => caller.request("tools/call", huge), 1, 1);
        };
        samplers.push(await tolerant(name, open));
      }
      try {
        return await ratiosTo(base, samplers, { rounds: 7 });
      } finally {
        for (const caller of callers) caller.close();
      }
    }),
  );
}

/**
 * The slowest of a hundred small calls (p99) while another client gets one large result after the other from another server of
 * the same gateway / the same without it.
 */
export async function besideLargeResults(side: HttpSide, bytes: number): Promise<Figure> {
  const { running, remove } = await side.start([echoServer(), echoServer()]);
  const caller = await new HttpCaller(running.url, 1).open();
  try {
    await listedTools(caller, OWN_TOOLS);
    const call = (): Promise<unknown> =>
      caller.request("tools/call", { name: "s__echo", arguments: { text: TEXT } });
    const p99 = async (): Promise<number> => {
      const times = await callTimes(call, 600);
      return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
    };
    const args = [here("lane/neighbour.mjs"), running.url, "s1__huge", String(bytes)];
    const beside = async (): Promise<number> => {
      const neighbour = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
      const exited = once(neighbour, "exit");
      try {
        await once(neighbour.stdout, "data");
        return await p99();
      } finally {
        neighbour.kill();
        await exited;
      }
    };
    return await ratioOf({ name: "beside", sample: beside }, { name: "alone", sample: p99 }, { rounds: 7 });
  } finally {
    caller.close();
    await running.close();
    remove();
  }
}

const SETTLE_MS = 4_000;
const REST_LANES = 16;
const REST_CALLS = 960;

/** The memory of the gateway itself (PSS, in MB), a while after a client has listed its tools and called one often. */
export async function gatewayMemory(side: HttpSide, servers: number): Promise<Figure> {
  const { running, prefix, remove } = await side.start(Array.from({ length: servers }, () => echoServer()));
  try {
    const caller = await new HttpCaller(running.url, REST_LANES).open();
    const { tools } = await caller.request("tools/list");
    if (Array.isArray(tools) && tools.length < servers * OWN_TOOLS)
      throw new Error("not all tools are listed");
    const call = { name: `${prefix}echo`, arguments: { text: TEXT } };
    if (servers > 0) await together(() => caller.request("tools/call", call), REST_CALLS, REST_LANES);
    caller.close();
    await sleep(SETTLE_MS);
    return figureOf([memoryMb([running.pid]) ?? Number.NaN]);
  } finally {
    await running.close();
    remove();
  }
}
