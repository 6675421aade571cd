import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { atSize, machinePace, recordFigure, type TempDir, tempDir, verifies } from "@indus/testkit";
import { build } from "esbuild";
import { afterAll, beforeAll, expect } from "vitest";
import {
  aliveWith,
  becomesTrue,
  childrenOf,
  contentOf,
  environmentClearers,
  isAlive,
  lateEnvironmentClearer,
  newMark,
  SHAPES,
} from "../tree-shapes.ts";

const only = ["linux"] as const;
let dir: TempDir;
let ownerPath: string;

beforeAll(async () => {
  dir = await tempDir();
  ownerPath = dir.at("owner.mjs");
  // The owner is a separate program, so that it can be killed. Node 20 does not run TypeScript.
  await build({
    entryPoints: [fileURLToPath(new URL("tree-owner.ts", import.meta.url))],
    outfile: ownerPath,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
});
afterAll(() => dir[Symbol.asyncDispose]());

function startOwner(
  afterwards: string,
  commands: readonly string[],
  [node, ...options]: readonly [string, ...string[]] = [process.execPath],
): ChildProcess {
  return spawn(node, [...options, ownerPath, afterwards, ...commands], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function saysReady(owner: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    owner.stdout?.once("data", () => resolve());
    owner.once("exit", (code) => reject(new Error(`the owner exited with ${code} before it was ready`)));
  });
}

function hasExited(owner: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => void owner.once("exit", (code) => resolve(code)));
}

/** Starts an owner of every shape, kills it when ready or at any moment before, and counts the processes left. */
async function killRound(
  killAfterMs: number | "ready",
): Promise<{ readonly left: readonly number[]; readonly ms: number }> {
  const mark = newMark();
  const owner = startOwner(
    "stay",
    Object.values(SHAPES).map((command) => command(mark)),
  );
  const exited = hasExited(owner);
  await (killAfterMs === "ready" ? saysReady(owner) : sleep(killAfterMs));
  const children = childrenOf(owner.pid ?? 0);
  owner.kill("SIGKILL");
  await exited;
  const isClean = (): boolean => aliveWith(mark).length === 0 && !children.some(isAlive);
  const killedMs = performance.now();
  await becomesTrue(isClean, 60_000);
  const left = [...aliveWith(mark), ...children.filter(isAlive)];
  return { left, ms: performance.now() - killedMs };
}

verifies(
  "tree:kill-owner",
  "kill -9 of an owner of every shape, when ready and at random moments, leaves no process",
  async () => {
    const rounds = atSize({ quick: 8, full: 1_000 });
    const pace = await machinePace();
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 2) {
      const ends = await Promise.all([killRound("ready"), killRound(Math.random() * 150)]);
      expect(
        ends.map(({ left }) => left),
        `round ${round}`,
      ).toEqual([[], []]);
      times.push(...ends.map(({ ms }) => ms));
    }
    await pace.check(times, { hangMs: 10_000, medianMs: 2_000 });
    recordFigure({
      what: "kill -9 of an owner of eight shapes of tree",
      size: `${rounds} kills`,
      found: "0 survivors",
    });
  },
  { only, timeoutMs: 900_000 },
);

verifies(
  "tree:kill-owner",
  "a process that clears its environment after a scan is remembered by the watchdog",
  async () => {
    const mark = newMark();
    const owner = startOwner(dir.at("go"), [lateEnvironmentClearer(mark, dir.at("go"))]);
    expect(await becomesTrue(() => environmentClearers(mark).length === 1, 10_000)).toBe(true);
    owner.kill("SIGKILL");
    expect(await becomesTrue(() => aliveWith(mark).length === 0, 10_000)).toBe(true);
  },
  { only },
);

verifies(
  "tree:will",
  "the last will of an owner runs once after its end, when its trees are gone, unless it was taken back",
  async () => {
    const note = (name: string, what: string): string =>
      `require("node:fs").appendFileSync(${JSON.stringify(dir.at(name))}, String(${what}))`;
    const rounds = [
      ["stay", "SIGKILL"],
      ["stay", "SIGTERM"],
      ["exit", "SIGCONT"],
    ] as const;
    await Promise.all(
      rounds.map(async ([afterwards, signal], at) => {
        const mark = newMark();
        // Ends by itself only after a SIGTERM is long over.
        const tree = `trap '' TERM; sleep ${mark} & echo ready; sleep ${mark}`;
        const living = `require("node:fs").readdirSync("/proc").filter((pid) => {
          try { return require("node:fs").readFileSync("/proc/" + pid + "/cmdline", "utf8").includes("sleep\\0${mark}"); } catch {}
        })`;
        const owner = startOwner(afterwards, [
          `will throw new Error("only this one")`,
          `will ${note(`will-${at}`, `"done" + ${living}`)}`,
          `withdrawn ${note(`withdrawn-${at}`, '"no"')}`,
          tree,
        ]);
        const exited = hasExited(owner);
        await saysReady(owner);
        owner.kill(signal);
        await exited;
        expect(await becomesTrue(() => existsSync(dir.at(`will-${at}`)), 60_000)).toBe(true);
        expect(await becomesTrue(() => readFileSync(dir.at(`will-${at}`), "utf8") === "done", 60_000)).toBe(
          true,
        );
        expect(existsSync(dir.at(`withdrawn-${at}`))).toBe(false);
      }),
    );
    // Also without any tree.
    const owner = startOwner("exit", [`will ${note("alone", '"done"')}`]);
    await hasExited(owner);
    expect(await becomesTrue(() => existsSync(dir.at("alone")), 60_000)).toBe(true);
  },
  { only },
);

verifies(
  "tree:owner-exit",
  "an owner that calls exit leaves no process and keeps its exit code",
  async () => {
    const mark = newMark();
    const owner = startOwner(
      "exit",
      Object.values(SHAPES).map((command) => command(mark)),
    );
    expect(await hasExited(owner)).toBe(5);
    expect(await becomesTrue(() => aliveWith(mark).length === 0, 10_000)).toBe(true);
  },
  { only },
);

verifies(
  "tree:owner-exit",
  "an owner whose trees have all ended exits by itself, and its watchdog with it",
  async () => {
    const owner = startOwner("stay", ["echo ready; sleep 0.2"]);
    const exited = hasExited(owner);
    await saysReady(owner);
    const children = childrenOf(owner.pid ?? 0);
    const watchdogs = watchdogsOf(owner);
    const programs = new Set<string | undefined>();
    const areGone = (): boolean => {
      for (const pid of watchdogs) programs.add(contentOf(pid, "cmdline").split("\0")[0]);
      return !children.some(isAlive);
    };
    const isOver = becomesTrue(areGone, 10_000);
    expect(await exited).toBe(0);
    expect(await isOver).toBe(true);
    // It has nothing to end, so it does not become Node.
    expect([...programs].filter((program) => program && program !== "/bin/sh")).toEqual([]);
  },
  { only },
);

verifies(
  "tree:watchdog-dies",
  "killing the watchdog and then the owner still leaves no process",
  async () => {
    const mark = newMark();
    const owner = startOwner("stay", [SHAPES["a double fork"]?.(mark) ?? ""]);
    await saysReady(owner);
    const watchdogs = (): number[] => watchdogsOf(owner);
    expect(await becomesTrue(() => watchdogs().length === 1)).toBe(true);
    const [first = 0] = watchdogs();
    process.kill(first, "SIGKILL");
    expect(await becomesTrue(() => watchdogs().some((pid) => pid !== first), 10_000)).toBe(true);
    owner.kill("SIGKILL");
    expect(await becomesTrue(() => aliveWith(mark).length === 0, 10_000)).toBe(true);
  },
  { only },
);

const SIGINT_BIT = 1 << 1;

function watchdogsOf(owner: ChildProcess): number[] {
  return childrenOf(owner.pid ?? 0).filter(
    (pid) => isAlive(pid) && /watchdog/.test(contentOf(pid, "cmdline")),
  );
}

verifies(
  "tree:watchdog-waits",
  "while its owner lives a watchdog takes less than 8 MB, and it works if Node's file is removed, even before the first tree",
  async () => {
    const mark = newMark();
    const node = dir.at("node");
    copyFileSync(process.execPath, node);
    const remover = dir.at("remover.cjs");
    writeFileSync(remover, `require("node:fs").rmSync(process.execPath);`);
    const owner = startOwner("stay", [SHAPES["a double fork"]?.(mark) ?? ""], [node, `--require=${remover}`]);
    await saysReady(owner);
    expect(existsSync(node)).toBe(false);
    const [watchdog = 0] = watchdogsOf(owner);
    const [, residentKb] = /^VmRSS:\s+(\d+) kB/m.exec(contentOf(watchdog, "status")) ?? [];
    expect(Number(residentKb)).toBeLessThan(8 * 1024);
    // Ctrl-C and the end of a terminal are for its owner. On a busy machine the shell is still being started.
    const ignored = (): number =>
      Number.parseInt(
        /^SigIgn:\s+[\da-f]*?([\da-f]{8})$/m.exec(contentOf(watchdog, "status"))?.[1] ?? "",
        16,
      );
    expect(await becomesTrue(() => (ignored() & SIGINT_BIT) !== 0)).toBe(true);
    for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"] as const) process.kill(watchdog, signal);
    owner.kill("SIGKILL");
    expect(await becomesTrue(() => aliveWith(mark).length === 0 && !isAlive(watchdog), 10_000)).toBe(true);
  },
  { only },
);
