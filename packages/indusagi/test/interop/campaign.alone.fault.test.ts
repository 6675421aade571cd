import { atSize, machinePace, recordFigure, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { serveEvilHttp } from "../../../../test/servers/evil-http.mjs";
import { CAMPAIGN } from "./kit/campaign-faults.ts";
import { timed } from "./kit/evil.ts";
import { startTcpProxy } from "./kit/tcp-proxy.ts";
import { watchProcess } from "./kit/watch-process.ts";

watchProcess();

const SEED = 20_261_115;
const LANES = 4;
const HANG_MS = 30_000;

interface Campaign {
  /** One line per fault: its number, its name and its outcome. Equal for equal seeds. */
  readonly log: readonly string[];
  /** The unexpected lines. */
  readonly unexpected: readonly string[];
  readonly slowestMs: number;
}

verifies(
  "faults:campaign",
  "every fault ends as expected, and the same seed gives the same log",
  async () => {
    const faults = atSize({ quick: 30, full: 10_000 });
    const pace = await machinePace();
    const { ms, value: first } = await timed(() => runCampaign(SEED, faults));
    expect(first.unexpected).toEqual([]);
    await pace.check([first.slowestMs], { hangMs: 20_000, medianMs: 5000 });
    const repeated = Math.min(faults, 500);
    const second = await runCampaign(SEED, repeated);
    expect(second.log).toEqual(first.log.slice(0, repeated));
    expect((await runCampaign(SEED + 1, 5)).log).not.toEqual(first.log.slice(0, 5));
    recordFigure({
      what: "B1–B28 random campaign",
      size: `${faults} faults, seed ${SEED}`,
      found: `0 unexpected ends, 0 wrong answers, slowest ${first.slowestMs.toFixed(0)} ms, ${(ms / 1000).toFixed(0)} s in all; ${repeated} repeated with the same log`,
    });
  },
  { timeoutMs: 15 * 60_000 },
);

async function runCampaign(seed: number, faults: number): Promise<Campaign> {
  await using server = await serveEvilHttp({ era: "modern" });
  const log: string[] = [];
  const unexpected: string[] = [];
  let slowestMs = 0;
  let next = 0;
  const lane = async (): Promise<void> => {
    await using proxy = await startTcpProxy(server);
    while (next < faults) {
      const index = next++;
      const draw = drawing(seed + index * 7919);
      const name = drawName(draw);
      const fault = CAMPAIGN[name];
      const { ms, value: came } = await timed(() =>
        orHang(fault?.run({ server, proxy, draw, secret: `secret ${index}` })),
      );
      log[index] = `${index} ${name}: ${came}`;
      if (!fault?.expects.includes(came)) unexpected.push(log[index]);
      slowestMs = Math.max(slowestMs, ms);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { log, unexpected, slowestMs };
}

/** A fault that never ends must not block the campaign. */
async function orHang(work: Promise<string> | undefined): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<string>((resolve) => (timer = setTimeout(resolve, HANG_MS, "hangs")));
  const came = await Promise.race([work ?? "unknown", patience]);
  clearTimeout(timer);
  return came;
}

function drawName(draw: (below: number) => number): string {
  const rows = Object.entries(CAMPAIGN);
  const total = rows.reduce((sum, [, { weight }]) => sum + weight, 0);
  let at = (draw(1_000_000) / 1_000_000) * total;
  for (const [name, { weight }] of rows) {
    at -= weight;
    if (at < 0) return name;
  }
  return rows[0]?.[0] ?? "";
}

/** A small generator with the same sequence on every machine. */
function drawing(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
