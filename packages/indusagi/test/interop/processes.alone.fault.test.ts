import { atSize, machinePace, recordFigure, verifies } from "@indus/testkit";
import { createServerEndpoint } from "indusagi/interop";
import { expect } from "vitest";
import { aliveWith, becomesTrue, isAlive, newMark, SHAPES } from "../core/process-tree/tree-shapes.ts";
import { act, evil, faultOf, opened, timed } from "./kit/evil.ts";
import { ownerProgram, saidBy } from "./kit/owner-program.ts";
import { percentile } from "./kit/percentile.ts";
import { watchProcess } from "./kit/watch-process.ts";

watchProcess();

const only = ["linux"] as const;
const owner = ownerProgram();

for (const how of ["exit", "crash"]) {
  verifies("faults:b1-lost-in-call", `a server that ends in a call by ${how}`, async () => {
    const times: number[] = [];
    const pace = await machinePace();
    await using neighbour = await opened(evil("neighbour"));
    for (let round = 0; round < atSize({ quick: 2, full: 50 }); round++) {
      const endpoint = await opened(evil("mortal"));
      const other = faultOf(act(endpoint, "silent"));
      const { ms, value: fault } = await timed(() => faultOf(act(endpoint, how, { code: 3 })));
      times.push(ms);
      expect(fault).toMatchObject({ kind: "transport", retrySafe: false, server: "mortal" });
      expect(fault.details.exit).toEqual(how === "exit" ? { code: 3 } : { code: null, signal: "SIGKILL" });
      expect(await other).toBe(fault);
      expect(endpoint.phase).toBe("faulted");
      expect(await act(neighbour, "echo", { text: "untouched" })).toBe("untouched");
    }
    await pace.check(times, { hangMs: 5000, medianMs: 250 });
    recordFigure({
      what: `B1 a server ends in a call by ${how}`,
      size: `${times.length} times`,
      found: `the call failed after ${percentile(times, 50)} ms, at worst ${percentile(times, 100)} ms`,
    });
  });
}

verifies(
  "faults:b2-mute",
  "a server that never answers is given up at its time limit, together with its process",
  async () => {
    const connectMs = atSize({ quick: 800, full: 10_000 });
    const config = evil("mute", { start: "mute" });
    const mark = newMark();
    const pace = await machinePace();
    const endpoint = createServerEndpoint({ ...config, args: [...(config.args ?? []), mark] }, undefined, {
      timeouts: { connectMs },
      probeMs: 200,
    });
    const opening = timed(() => faultOf(endpoint.open()));
    expect(await becomesTrue(() => aliveWith(mark).length > 0)).toBe(true);
    const { ms, value: fault } = await opening;
    expect(fault).toMatchObject({ kind: "timeout", retrySafe: true });
    expect(aliveWith(mark)).toEqual([]);
    expect(ms).toBeGreaterThan(connectMs * 0.9);
    await pace.check([ms - connectMs], { hangMs: 10_000, medianMs: connectMs * 0.1 });
    recordFigure({
      what: "B2 a mute server",
      size: `${connectMs} ms given`,
      found: `timeout after ${ms.toFixed(0)} ms`,
    });
  },
  { only },
);

const STUBBORN: { readonly [name: string]: { readonly options?: object; readonly misdeed?: string } } = {
  "ignores SIGTERM": { options: { ignoreTerm: true, ignoreEnd: true } },
  "is stopped": { misdeed: "stop", options: { ignoreEnd: true } },
  "closed its output": { misdeed: "close-stdout", options: { ignoreEnd: true } },
  "closed its input": { misdeed: "close-stdin" },
  "stopped reading": { misdeed: "stop-reading", options: { ignoreEnd: true } },
};

verifies(
  "faults:b8-stubborn",
  "closing a server takes at most three seconds, whatever it does, and leaves no process",
  async () => {
    const pace = await machinePace();
    const times = await Promise.all(
      Object.entries(STUBBORN).map(async ([name, { options = {}, misdeed }]) => {
        const graceMs = atSize({ quick: 300, full: 1000 });
        const endpoint = await opened(evil("stubborn", { era: "legacy", ...options }), {
          stdio: { graceMs },
          timeouts: { callMs: 500 },
        });
        const pid = Number(await act(endpoint, "pid"));
        if (misdeed) await act(endpoint, misdeed).catch(() => {});
        const { ms } = await timed(() => endpoint.close());
        expect(isAlive(pid), name).toBe(false);
        recordFigure({
          what: `B8 closing a server that ${name}`,
          size: "1 close",
          found: `${ms.toFixed(0)} ms`,
        });
        return ms;
      }),
    );
    for (const [at, what] of Object.keys(STUBBORN).entries())
      await pace.check([times[at] ?? Number.NaN], { what, hangMs: 10_000, medianMs: 3000 });
  },
  { only },
);

verifies(
  "faults:b9-grandchildren",
  "no process of any family is left after a close, or after the server was killed",
  async () => {
    const pace = await machinePace();
    const times: number[] = [];
    for (let round = 0; round < atSize({ quick: 1, full: 10 }); round++) {
      await Promise.all(
        ["close", "crash"].map(async (end) => {
          const mark = newMark();
          const endpoint = await opened(evil("parent"), { stdio: { graceMs: 200 } });
          await Promise.all(
            Object.values(SHAPES).map((shape) => act(endpoint, "spawn", { command: shape(mark) })),
          );
          expect(aliveWith(mark).length).toBeGreaterThan(Object.keys(SHAPES).length);
          if (end === "crash") await faultOf(act(endpoint, "crash"));
          else await endpoint.close();
          const { ms, value } = await timed(() => becomesTrue(() => aliveWith(mark).length === 0, 60_000));
          expect(value, end).toBe(true);
          times.push(ms);
        }),
      );
    }
    await pace.check(times, { hangMs: 10_000, medianMs: 1000 });
  },
  { only, timeoutMs: 120_000 },
);

verifies(
  "faults:b9-grandchildren",
  "no process of any family is left when we are killed or interrupted",
  async () => {
    const rounds = atSize({ quick: 1, full: 50 });
    const pace = await machinePace();
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const mark = newMark();
      const commands = Object.values(SHAPES).map((shape) => shape(mark));
      const us = owner.start(["stay", JSON.stringify(evil("parent")), ...commands]);
      await saidBy(us);
      const seen = aliveWith(mark).length;
      us.kill(round % 2 === 0 ? "SIGKILL" : "SIGINT");
      const { ms, value } = await timed(() => becomesTrue(() => aliveWith(mark).length === 0, 60_000));
      expect(value).toBe(true);
      expect(seen).toBeGreaterThan(Object.keys(SHAPES).length);
      times.push(ms);
    }
    await pace.check(times, { hangMs: 10_000, medianMs: 1000 });
    recordFigure({
      what: "B9 we are killed or interrupted, servers with eight shapes of children",
      size: `${rounds} times`,
      found: `0 left, the last one gone after ${Math.max(...times).toFixed(0)} ms at worst`,
    });
  },
  { only, timeoutMs: 300_000 },
);

verifies(
  "faults:b10-fork-bomb",
  "a crowd of processes is ended completely while the neighbours are served",
  async () => {
    const depth = atSize({ quick: 4, full: 8 });
    const mark = newMark();
    const bomb = `f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) & f $(($1 - 1)) & fi; exec sleep ${mark}; }; f ${depth} & echo ready; wait`;
    await using neighbour = await opened(evil("neighbour"));
    const pace = await machinePace();
    const before = await echoTimes(neighbour);
    const endpoint = await opened(evil("bomb"), { stdio: { graceMs: 300 } });
    await act(endpoint, "spawn", { command: bomb });
    const during = await echoTimes(neighbour);
    expect(await becomesTrue(() => aliveWith(mark).length >= 2 ** depth, 20_000)).toBe(true);
    const settled = await echoTimes(neighbour);
    const { ms } = await timed(() => endpoint.close());
    expect(aliveWith(mark)).toEqual([]);
    expect(await act(neighbour, "echo", { text: "on" })).toBe("on");
    const p99 = [before, during, settled].map((times) => percentile(times, 99));
    await pace.check(settled, { hangMs: 10_000, medianMs: Math.max(2 * percentile(before, 50), 20) });
    recordFigure({
      what: "B10 a bomb of forks",
      size: `${2 ** (depth + 1) - 1} processes`,
      found: `closed in ${ms.toFixed(0)} ms, 0 left; a neighbour's p99 before, while they start, with all of them there: ${p99.join(", ")} ms`,
    });
  },
  { only, timeoutMs: 60_000 },
);

verifies(
  "faults:b8-stubborn",
  "a server that closed its output is lost, although its process lives",
  async () => {
    const endpoint = await opened(evil("gone", { ignoreEnd: true }), { stdio: { graceMs: 200 } });
    const pace = await machinePace();
    const { ms, value: fault } = await timed(() => faultOf(act(endpoint, "close-stdout")));
    expect(fault).toMatchObject({ kind: "transport", retrySafe: false });
    await pace.check([ms], { hangMs: 15_000, medianMs: 3000 });
    await endpoint.close();
  },
);

verifies("faults:b12-writes", "thousands of calls to a server that stopped reading are limited", async () => {
  await using endpoint = await opened(evil("deaf", { ignoreEnd: true }), {
    stdio: { graceMs: 200 },
    timeouts: { callMs: 1000 },
  });
  await act(endpoint, "stop-reading");
  const calls = atSize({ quick: 6000, full: 10_000 });
  const text = "x".repeat(4096);
  const memory = process.memoryUsage.rss();
  const faults = await Promise.all(
    Array.from({ length: calls }, () => faultOf(act(endpoint, "echo", { text }))),
  );
  const kinds = new Set(faults.map((fault) => fault.kind));
  expect(kinds).toEqual(new Set(["transport", "timeout"]));
  const refused = faults.filter((fault) => fault.kind === "transport");
  expect(refused[0]?.message).toMatch(/more than \d+ (bytes wait|characters are waiting)/);
  expect(process.memoryUsage.rss() - memory).toBeLessThan(400 * 1024 * 1024);
  recordFigure({
    what: "B12 calls to a server that stopped reading",
    size: `${calls} calls of 4 KiB at once`,
    found: `${refused.length} refused at once, ${calls - refused.length} timed out`,
  });
});

verifies("faults:b12-writes", "a server that closed its input is lost with the first write", async () => {
  const endpoint = await opened(evil("deaf", { era: "legacy" }), { stdio: { graceMs: 300 } });
  await act(endpoint, "close-stdin");
  const fault = await faultOf(act(endpoint, "echo", { text: "?" }));
  expect(fault).toMatchObject({ kind: "transport", server: "deaf" });
  expect(await becomesTrue(() => endpoint.phase === "faulted")).toBe(true);
  await endpoint.close();
});

async function echoTimes(endpoint: Parameters<typeof act>[0]): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < atSize({ quick: 20, full: 500 }); i++)
    times.push((await timed(() => act(endpoint, "echo", { text: "x" }))).ms);
  return times;
}
