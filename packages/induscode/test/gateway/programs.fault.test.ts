import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { atSize, recordFigure, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { eventually } from "../bin/run-indus.ts";
import { callModern, roughRow, serveRows } from "./serving-gateway.ts";

const ROUNDS = atSize({ quick: 2, full: 20 });
const PROGRAMS = atSize({ quick: 2, full: 5 });

/** What a program does when its gateway is killed. */
const ENDLESS = [
  "for (;;);",
  "for (;;) await rough.echo({ text: 'x' });",
  "await rough.never({});",
  "await new Promise((resolve) => setTimeout(resolve, 60_000));",
  "const a = []; for (;;) { a.push(new Array(1e4).fill(0)); if (a.length > 200) a.length = 0; }",
];

verifies(
  "code:processes",
  "when `indus serve` is killed while programs run, none of their processes stays",
  async () => {
    await using dir = await tempDir();
    let seen = 0;
    const goneMs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await using gateway = await serveRows(dir, {
        name: `round-${round}`,
        rows: { rough: roughRow() },
        env: { XDG_STATE_HOME: dir.at(`state-${round}`) },
        args: ["--tools", "code"],
      });
      const { pid = 0 } = gateway.indus.child;
      for (let at = 0; at < PROGRAMS; at += 1) {
        const code = ENDLESS[(round + at) % ENDLESS.length];
        void callModern(gateway.url, "run_code", { args: { code } }).catch(() => {});
      }
      // In every second round all programs run; otherwise it is some moment of their start.
      if (round % 2 === 0) await eventually(() => programsOf(pid).length >= PROGRAMS || undefined, 60_000);
      else await pause(Math.random() * 500);
      const running = programsOf(pid);
      if (round % 2 === 0) expect(running.length).toBeGreaterThanOrEqual(PROGRAMS);
      seen += running.length;
      gateway.indus.child.kill(round % 4 === 2 ? "SIGTERM" : "SIGKILL");
      const killedMs = performance.now();
      await gateway.indus.ended;
      await eventually(() => running.every((each) => !isProgram(each)) || undefined, 60_000);
      goneMs.push(performance.now() - killedMs);
    }
    recordFigure({
      what: "`indus serve` is ended or killed while programs run",
      size: `${ROUNDS} rounds, ${PROGRAMS} programs at a time, ${seen} processes`,
      found: `0 processes left, the last one gone after ${Math.max(...goneMs).toFixed(0)} ms at worst`,
    });
  },
  { only: ["linux"], timeoutMs: atSize({ quick: 90_000, full: 15 * 60_000 }) },
);

/** The processes that run programs for this one: bubblewrap, and what runs inside. */
function programsOf(gateway: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc"))
    if (/^\d+$/.test(name))
      parents.set(Number(name), Number(/^PPid:\s+(\d+)$/m.exec(read(`/proc/${name}/status`))?.[1] ?? 0));
  const isOfGateway = (pid: number): boolean => {
    for (let at: number | undefined = pid; at; at = parents.get(at)) if (at === gateway) return true;
    return false;
  };
  return [...parents.keys()].filter((pid) => isProgram(pid) && isOfGateway(pid));
}

function isProgram(pid: number): boolean {
  return read(`/proc/${pid}/cmdline`).includes("program.cjs");
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It has ended.
  }
}
