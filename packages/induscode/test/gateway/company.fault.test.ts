import { Agent } from "node:http";
import { availableParallelism } from "node:os";
import { atSize, isFullSize, median, recordFigure, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { modernRequest, send } from "../../../indusagi/test/interop/host/http/raw-http.ts";
import { roughRow, type ServingGateway, serveRows } from "./serving-gateway.ts";

const GOOD = atSize({ quick: 3, full: 16 });
/** Pairs of gateways that are started one after the other, and windows of calls in each. Odd, so that one pair is the median. */
const STARTS = atSize({ quick: 0, full: 21 });
const WINDOWS = atSize({ quick: 1, full: 13 });
const WINDOW_MS = atSize({ quick: 400, full: 3_000 });
const MAX_COST = 1.2;

const goodIds = Array.from({ length: GOOD }, (_, at) => `good${at}`);
const good = Object.fromEntries(goodIds.map((id) => [id, roughRow()]));
/** The bad ones have the same number of good ones as their counterpart, so that both gateways have as many servers. */
const WITHOUT = { ...good, a: roughRow(), b: roughRow(), c: roughRow(), d: roughRow() };
const BESIDE = {
  ...good,
  a: { command: "/no/such/program" },
  b: roughRow("--mute"),
  c: roughRow("--flood"),
  d: roughRow("--die-after", "1000"),
};

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** How long a call of one good server took. Fails if it is not answered well. */
async function callMs({ url }: ServingGateway, id: string): Promise<number> {
  const { headers, body } = modernRequest(1, "tools/call", { name: `${id}__echo`, arguments: { text: id } });
  const startMs = performance.now();
  const { text } = await send(url, { headers, body, agent });
  expect(text).toContain(`"text":"${id}"`);
  return performance.now() - startMs;
}

/** Calls all good servers at once, again and again. */
async function callsFor(gateway: ServingGateway, ms: number): Promise<number[]> {
  const taken: number[] = [];
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs) {
    taken.push(...(await Promise.all(goodIds.map((id) => callMs(gateway, id)))));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return taken;
}

function percentile(values: readonly number[], share: number): number {
  return (
    values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
  );
}

/** How much longer than without the bad servers. One of several pairs, so that other work of the machine does not count. */
function costOf(beside: readonly number[], without: readonly number[]): number {
  return median(beside.map((ms, at) => ms / (without[at] ?? Number.NaN)));
}

/** Starts a gateway, calls each good server at once, and goes on for the first seconds. */
async function firstSeconds(
  gateway: ServingGateway,
): Promise<{ readonly firstMs: number; readonly p99: number }> {
  const firstMs = Math.max(...(await Promise.all(goodIds.map((id) => callMs(gateway, id)))));
  return { firstMs, p99: percentile(await callsFor(gateway, WINDOW_MS), 0.99) };
}

verifies(
  "gateway-proof:isolation",
  "a dead, a mute, a flooding and a dying server delay neither the start nor the calls of the others",
  async () => {
    await using dir = await tempDir();
    const first = { without: [] as number[], beside: [] as number[] };
    const early = { without: [] as number[], beside: [] as number[] };
    // One gateway at a time, in turns: the processes of the one must not slow down the other while it starts. The first
    // of a pair alternates: the second starts while the machine still cleans up after it.
    for (let start = 0; start < STARTS; start += 1) {
      const kinds = [
        ["without", WITHOUT],
        ["beside", BESIDE],
      ] as const;
      for (const [kind, rows] of start % 2 === 0 ? kinds : kinds.toReversed()) {
        await using gateway = await serveRows(dir, { name: `${kind}-${start}`, rows });
        const { firstMs, p99 } = await firstSeconds(gateway);
        first[kind].push(firstMs);
        early[kind].push(p99);
      }
    }

    const late = { without: [] as number[], beside: [] as number[] };
    let calls = 0;
    {
      await using without = await serveRows(dir, { name: "late-without", rows: WITHOUT });
      await using beside = await serveRows(dir, { name: "late-beside", rows: BESIDE });
      const [, started] = await Promise.all([firstSeconds(without), firstSeconds(beside)]);
      // A server that is waited for costs its time limit: 30 s.
      expect(Math.max(started.firstMs, ...first.beside)).toBeLessThan(20_000);
      // In turns on the same machine, so that the load of the servers themselves is the same for both.
      for (let window = 0; window < WINDOWS; window += 1)
        for (const [kind, gateway] of [
          ["without", without],
          ["beside", beside],
        ] as const) {
          const taken = await callsFor(gateway, WINDOW_MS);
          calls += taken.length;
          late[kind].push(percentile(taken, 0.99));
        }
    }
    agent.destroy();
    const costs = {
      first: costOf(first.beside, first.without),
      early: costOf(early.beside, early.without),
      late: costOf(late.beside, late.without),
    };
    const shown = (values: readonly number[]): string => `${median(values).toFixed(1)} ms`;
    recordFigure({
      what: "gateway: one dead, one mute, one flooding, one dying server beside good ones",
      size: `${GOOD} good servers, ${STARTS} starts, ${calls} calls on ${availableParallelism()} cores`,
      found: [
        `first answers ${shown(first.beside)} against ${shown(first.without)} (${costs.first.toFixed(2)}×)`,
        `p99 in the first seconds ${shown(early.beside)} against ${shown(early.without)} (${costs.early.toFixed(2)}×)`,
        `p99 later ${shown(late.beside)} against ${shown(late.without)} (${costs.late.toFixed(2)}×)`,
      ].join(", "),
    });
    if (isFullSize) {
      expect(costs.first, "first answers").toBeLessThan(MAX_COST);
      expect(costs.early, "p99 in the first seconds").toBeLessThan(MAX_COST);
      expect(costs.late, "p99").toBeLessThan(MAX_COST);
    } else expect(costs.late).toBeLessThan(100);
  },
  { timeoutMs: atSize({ quick: 60_000, full: 10 * 60_000 }) },
);
