import { availableParallelism } from "node:os";
import { atSize, isFullSize, machinePace, recordFigure, tempDir, verifies } from "@indus/testkit";
import { mountProtocolBridge, type ServerFleet, startServerFleet } from "indusagi/interop";
import { expect } from "vitest";
import { linesOf, pidOf, rough, survivors } from "./rough.ts";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Pseudo-random numbers in [0, 1), the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const worst = (values: readonly number[]): number => Math.max(0, ...values);
const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

const KILLS = atSize({ quick: 8, full: 1000 });

verifies(
  "supervise:once",
  `${KILLS} kills at random moments of a call repeat no side effect`,
  async () => {
    await using dir = await tempDir();
    const file = dir.at("count");
    const { box, fleet } = await mountProtocolBridge(
      { servers: [rough("s", "--count", file)] },
      { supervision: { firstDelayMs: 5, maxDelayMs: 10, breaker: { failures: 1_000_000 } } },
    );
    const run = (key: string, waitMs: number) =>
      box.runner.run({ id: key, name: "s__count", input: { key, waitMs } });
    const random = seeded(20_260_728);
    const good: string[] = [];
    const pace = await machinePace();
    const errorMs: number[] = [];
    const nextMs: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const pid = await pidOf(fleet, "s");
      const call = run(`killed-${kill}`, random() * 4);
      await sleep(random() * 6);
      process.kill(pid, "SIGKILL");
      const killedMs = performance.now();
      // If the call was answered before the kill, the next call is the one that meets it.
      let unlucky = await call;
      let key = `killed-${kill}`;
      if (!unlucky.isError) {
        good.push(key);
        unlucky = await run((key = `second-${kill}`), 0);
      }
      if (unlucky.isError) errorMs.push(performance.now() - killedMs);
      else good.push(key);
      const next = await run(`next-${kill}`, 0);
      expect(next, `next-${kill}`).toMatchObject({ isError: false });
      nextMs.push(performance.now() - killedMs);
      good.push(`next-${kill}`);
    }
    await fleet.tearDown();
    const ran = await linesOf(file);
    expect(new Set(ran).size).toBe(ran.length);
    expect(good.filter((key) => !ran.includes(key))).toEqual([]);
    if (errorMs.length > 0) await pace.check(errorMs, { what: "error", hangMs: 10_000, medianMs: 250 });
    await pace.check(nextMs, { what: "next answer", hangMs: 15_000, medianMs: 2000 });
    recordFigure({
      what: "B1 server SIGKILLed in a call",
      size: `${KILLS} kills, ${errorMs.length} in the middle of a call`,
      found: `0 side effects repeated, worst error after ${worst(errorMs).toFixed(0)} ms, worst next answer after ${worst(nextMs).toFixed(0)} ms`,
    });
  },
  { timeoutMs: atSize({ quick: 60_000, full: 15 * 60_000 }) },
);

const WINDOWS = atSize({ quick: 2, full: 3 });
const WINDOW_MS = atSize({ quick: 200, full: 40_000 });
const NEIGHBOURS = ["n1", "n2", "n3"];

/** Calls the neighbours one after another for some time and returns how long each call took. */
async function latencies(fleet: ServerFleet): Promise<number[]> {
  const taken: number[] = [];
  const untilMs = performance.now() + WINDOW_MS;
  while (performance.now() < untilMs) {
    for (const id of NEIGHBOURS) {
      const startMs = performance.now();
      const lease = await fleet.acquire(id);
      await lease.endpoint.invoke("echo", { text: "x" });
      lease.release();
      taken.push(performance.now() - startMs);
    }
    await sleep(1);
  }
  return taken;
}

verifies(
  "supervise:neighbours",
  "the breaker opens, and the p99 of the neighbours does not change",
  async () => {
    const fleet = await startServerFleet(
      { servers: NEIGHBOURS.map((id) => rough(id)) },
      isFullSize ? {} : { supervision: { firstDelayMs: 5, maxDelayMs: 10 } },
    );
    await latenciesWarm(fleet);
    // Alternating, so that other load on the machine affects both alike.
    const p99s = { without: [] as number[], beside: [] as number[] };
    let calls = 0;
    for (let window = 0; window < WINDOWS; window += 1) {
      p99s.without.push(percentile(await latencies(fleet), 0.99));
      await fleet.addServer(rough("loop", "--crash"));
      // The first failures come close together; the test measures the cost of a server that keeps failing.
      await expect.poll(() => fleet.status().get("loop")?.state, { timeout: 30_000 }).toBe("tripped");
      const beside = await latencies(fleet);
      p99s.beside.push(percentile(beside, 0.99));
      calls += beside.length;
      if (window < WINDOWS - 1) await fleet.removeServer("loop");
    }
    expect(NEIGHBOURS.map((id) => fleet.status().get(id)?.restarts)).toEqual([0, 0, 0]);
    await fleet.tearDown();
    const [without, beside] = [percentile(p99s.without, 0.5), percentile(p99s.beside, 0.5)];
    // A cost of the loop shows in every pair of windows, other work of the machine only in some.
    const leastCost = Math.min(...p99s.beside.map((ms, at) => ms / (p99s.without[at] ?? 0)));
    if (isFullSize) expect(leastCost).toBeLessThan(1.2);
    else expect(beside).toBeLessThan(without * 20 + 500);
    recordFigure({
      what: "crash loop beside three neighbours",
      size: `${calls} calls in ${WINDOWS} windows on ${availableParallelism()} cores`,
      found: `breaker open, p99 ${beside.toFixed(2)} ms against ${without.toFixed(2)} ms without the loop (medians of the windows)`,
    });
  },
  { timeoutMs: atSize({ quick: 60_000, full: 10 * 60_000 }) },
);

async function latenciesWarm(fleet: ServerFleet): Promise<void> {
  for (let call = 0; call < 200; call++)
    for (const id of NEIGHBOURS) await fleet.endpoint(id)?.invoke("echo", { text: "x" });
}

const GOOD = Array.from({ length: 16 }, (_, index) => `good-${index}`);

verifies(
  "supervise:company",
  "sixteen of twenty are ready and answer while one is dead, one mute, one floods and one dies each second",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const bad = [
      { kind: "stdio", id: "dead", command: "/no/such/program" } as const,
      rough("mute", "--mute", "--starts", starts),
      rough("flood", "--flood", "--starts", starts),
      rough("dying", "--die-after", "1000", "--starts", starts),
    ];
    const startMs = performance.now();
    const fleet = await startServerFleet(
      { servers: [...bad, ...GOOD.map((id) => rough(id, "--starts", starts))] },
      { waitMs: 1 },
    );
    await expect
      .poll(() => GOOD.every((id) => fleet.endpoint(id)?.phase === "ready"), {
        timeout: 20_000,
        interval: 20,
      })
      .toBe(true);
    const readyMs = performance.now() - startMs;
    const slowest: number[] = [];
    const untilMs = performance.now() + atSize({ quick: 1500, full: 30_000 });
    while (performance.now() < untilMs) {
      await Promise.all(
        GOOD.map(async (id) => {
          const calledMs = performance.now();
          await fleet.endpoint(id)?.invoke("echo", { text: id });
          slowest.push(performance.now() - calledMs);
        }),
      );
      await sleep(20);
    }
    const status = fleet.status();
    expect(status.get("dead")).toMatchObject({ phase: "faulted", restarts: 0 });
    expect(["connecting", "faulted"]).toContain(status.get("mute")?.phase);
    expect(status.get("flood")).toMatchObject({ phase: "ready", restarts: 0, toolCount: 5 });
    expect(status.get("dying")?.restarts).toBeGreaterThan(0);
    expect(GOOD.map((id) => status.get(id)?.restarts)).toEqual(GOOD.map(() => 0));
    await fleet.tearDown();
    expect(await survivors(starts)).toEqual([]);
    recordFigure({
      what: "one dead, one mute, one flooding and one dying server among twenty",
      size: `${slowest.length} calls to the other sixteen`,
      found: `all answered, ready after ${readyMs.toFixed(0)} ms, p99 ${percentile(slowest, 0.99).toFixed(1)} ms, 0 processes left`,
    });
  },
  { timeoutMs: atSize({ quick: 60_000, full: 5 * 60_000 }) },
);
