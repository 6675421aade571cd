import { readdirSync, readFileSync } from "node:fs";
import { atSize, recordFigure, verifies } from "@indus/testkit";
import { economize, type ToolBox, type ToolOutcome } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf, tool } from "../catalogue.ts";

/** Besides the one that loops. */
const OTHERS = atSize({ quick: 5, full: 19 });

const inner = (): ToolBox => boxOf([tool("files", "echo")]).box;

function runner(limits: object = {}): (code: string, signal?: AbortSignal) => Promise<ToolOutcome> {
  const box = economize(inner(), { mode: "code", code: { limits } });
  return (code, signal) => box.runner.run({ id: "1", name: "run_code", input: { code } }, signal);
}

/** The processes that run programs for this one. */
function programProcesses(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isOurs(Number(name)))
    .map(Number);
}

function isOurs(pid: number): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("program.cjs")) return false;
    return (
      Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) === process.pid
    );
  } catch {
    return false;
  }
}

verifies(
  "code:fair",
  "many programs run at the same time, and one that loops does not stop the others",
  async () => {
    const run = runner({ processorMs: 60_000 });
    const abort = new AbortController();
    const loops = run("for (;;);", abort.signal);
    const code = "let n = 0; for (let i = 0; i < 10; i++) n += (await files.echo({ i })).length; return n";
    const endedMs: number[] = [];
    const startMs = performance.now();
    const answers = await Promise.all(
      Array.from({ length: OTHERS }, async () => {
        const { output } = await run(code);
        endedMs.push(performance.now() - startMs);
        return output;
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toBe("190");
    abort.abort(new Error("enough"));
    expect((await loops).fault?.reason).toBe("aborted");
    recordFigure({
      what: "twenty programs at the same time, one of which loops",
      size: `${OTHERS} programs with 10 calls`,
      found: `the first ended after ${Math.min(...endedMs).toFixed(0)} ms, the last after ${Math.max(...endedMs).toFixed(0)} ms`,
    });
  },
  { timeoutMs: 120_000 },
);

verifies(
  "code:processes",
  "a killed process is an error of its program only, and the next program runs",
  async () => {
    const run = runner();
    const rounds = atSize({ quick: 2, full: 25 });
    for (let round = 0; round < rounds; round += 1) {
      const running = run("for (;;) await files.echo({});");
      await new Promise((resolve) => setTimeout(resolve, round === 0 ? 600 : Math.random() * 800));
      for (const pid of programProcesses()) process.kill(pid, "SIGKILL");
      const { output, isError } = await running;
      expect({ output, isError }).toEqual({
        output: expect.stringMatching(/did not end|ended before|at most 1000 calls/),
        isError: true,
      });
      expect((await run("return 1")).output).toBe("1");
    }
  },
  { only: ["linux"], timeoutMs: atSize({ quick: 120_000, full: 600_000 }) },
);

verifies(
  "code:processes",
  "a program runs also if the idle process meant for it is killed while it prepares",
  async () => {
    const run = runner();
    for (let round = 0; round < atSize({ quick: 5, full: 50 }); round += 1) {
      expect((await run("return 1")).output).toBe("1");
      for (const pid of programProcesses()) process.kill(pid, "SIGKILL");
      expect((await run("return 2")).output).toBe("2");
    }
  },
  { only: ["linux"], timeoutMs: 120_000 },
);

verifies(
  "code:limits",
  "calls beyond the limit throw, at most so many run at a time, and processor time ends a program",
  async () => {
    let running = 0;
    let most = 0;
    const { box } = boxOf([]);
    const counting: ToolBox = {
      ...box,
      descriptors: () => inner().descriptors(),
      runner: {
        run: async (call, signal, caller) => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running -= 1;
          return inner().runner.run(call, signal, caller);
        },
      },
    };
    const coded = economize(counting, {
      mode: "code",
      code: { limits: { calls: 30, callsInFlight: 4, processorMs: 500 } },
    });
    const run = (code: string) => coded.runner.run({ id: "1", name: "run_code", input: { code } });
    const all =
      "const all = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => files.echo({ i })));";
    const { output } = await run(`${all} return all.filter((each) => each.status === "fulfilled").length`);
    expect(output).toBe("30");
    expect(most).toBe(4);
    expect((await run("for (;;);")).output).toContain("more than 0.5 s of processor time");
  },
  { timeoutMs: 60_000 },
);
