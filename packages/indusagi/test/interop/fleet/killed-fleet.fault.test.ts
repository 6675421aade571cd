import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { atSize, type BuiltProgram, buildProgram, machinePace, recordFigure, verifies } from "@indus/testkit";
import { afterAll, beforeAll, expect } from "vitest";
import { aliveWith, becomesTrue, newMark } from "../../core/process-tree/tree-shapes.ts";
import { rough } from "./rough.ts";

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram(new URL("fleet-program.ts", import.meta.url));
});
afterAll(() => program[Symbol.dispose]());

/** Twenty servers whose processes carry a mark in their command lines. */
function twentyServers(mark: string): object {
  const good = Array.from({ length: 16 }, (_, index) => rough(`good${index}`, mark));
  return {
    servers: [
      { kind: "stdio", id: "dead", command: "/no/such/program" },
      rough("mute", "--mute", mark),
      rough("flood", "--flood", mark),
      rough("dying", "--die-after", "1000", mark),
      ...good,
    ],
  };
}

verifies(
  "supervise:killed-owner",
  "twenty servers, good and bad, are gone when their owner is killed at any moment",
  async () => {
    const rounds = atSize({ quick: 2, full: 30 });
    const pace = await machinePace();
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const mark = newMark();
      const owner = spawn(process.execPath, [program.path, JSON.stringify(twentyServers(mark))], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      const ready = new Promise<void>((resolve) => owner.stdout.once("data", () => resolve()));
      await Promise.race([ready, sleep(Math.random() * 2500)]);
      // In the first round all servers but the dead one run when their owner is killed. The owner carries the mark, too.
      if (round === 0) expect(await becomesTrue(() => aliveWith(mark).length >= 19, 60_000)).toBe(true);
      owner.kill("SIGKILL");
      const killedMs = performance.now();
      expect(await becomesTrue(() => aliveWith(mark).length === 0, 60_000)).toBe(true);
      times.push(performance.now() - killedMs);
    }
    await pace.check(times, { hangMs: 15_000, medianMs: 3000 });
    recordFigure({
      what: "the owner of twenty servers is killed (SIGKILL) at any moment",
      size: `${rounds} times`,
      found: `0 processes left, the last one gone after ${Math.max(...times).toFixed(0)} ms at worst`,
    });
  },
  { only: ["linux"], timeoutMs: 300_000 },
);
