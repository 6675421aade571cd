import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, open, readFile, rm, symlink } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { atSize, ORDINARY_USER, tempDir, verifies } from "@indus/testkit";
import { grepTool } from "indusagi/capabilities";
import { describe, expect } from "vitest";
import { locateRipgrep } from "../../../src/capabilities/search/ripgrep/run-ripgrep.ts";
import { buildFileProgram } from "../local/files/file-program-host.ts";
import { contextIn, runTool, writeTree } from "./fixture.ts";

const GIB = 1024 ** 3;

/** A program that writes its process id and then sleeps for a minute. */
const SLEEPER = '#!/bin/sh\necho $$ > "$(dirname "$0")/pid"\nexec sleep 60\n';

verifies(
  "grep:timeout",
  "a pattern that backtracks without end times out while timers keep running",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "a.txt": `${"a".repeat(60)}!\n` });
    await untilNoThread(IDLE_THREADS_MS);
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 10);
    const grep = grepTool({ ripgrepPath: false, deadlineMs: 500 });
    const { text, isError } = await runTool(grep, { pattern: "^(?=(a+)+$)" }, contextIn(dir.path));
    clearInterval(ticking);
    expect({ text, isError }).toEqual({
      text: "grep: no result within 500 ms; search a smaller folder or use a simpler pattern",
      isError: true,
    });
    expect(ticks).toBeGreaterThan(2);
    await untilNoThread();
    // No pattern makes ripgrep's engine backtrack.
    expect((await runTool(grepTool(), { pattern: "(a+)+$" }, contextIn(dir.path))).isError).toBe(false);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "grep:timeout",
  "a ripgrep that does not answer is killed",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "w/a.txt": "hit", "bin/rg": SLEEPER });
    await chmod(dir.at("bin", "rg"), 0o755);
    const grep = grepTool({ ripgrepPath: dir.at("bin", "rg"), deadlineMs: 1500 });
    const { text, isError } = await runTool(grep, { pattern: "hit" }, contextIn(dir.at("w")));
    expect(isError).toBe(true);
    expect(text).toContain("no result within 1.5 s");
    await untilGone(await pidOf(dir.at("bin", "pid")));
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "grep:abort",
  "an aborted call returns at once; ripgrep and the thread end soon after",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "w/a.txt": `${"a".repeat(60)}!\n`, "bin/rg": SLEEPER });
    await chmod(dir.at("bin", "rg"), 0o755);
    await untilNoThread(IDLE_THREADS_MS);
    for (let round = 0; round < atSize({ quick: 1, full: 50 }); round++) {
      for (const ripgrepPath of [dir.at("bin", "rg"), false] as const) {
        const controller = new AbortController();
        const ctx = contextIn(dir.at("w"), { signal: controller.signal });
        const answer = runTool(grepTool({ ripgrepPath }), { pattern: "(a+)+$" }, ctx);
        const pid = ripgrepPath ? await pidOf(dir.at("bin", "pid")) : undefined;
        if (!pid) await wait(200);
        controller.abort();
        expect(await answer).toEqual({ text: "grep was aborted before it answered", isError: true });
        if (pid) await untilGone(pid);
      }
      await rm(dir.at("bin", "pid"));
    }
    await untilNoThread();
  },
  { only: ["linux", "darwin"], timeoutMs: atSize({ quick: 60_000, full: 160_000 }) },
);

verifies(
  "grep:no-ripgrep",
  "if ripgrep is killed, its result is not complete and the fallback is used",
  async () => {
    await using dir = await tempDir();
    const killed = '#!/bin/sh\necho "rg: x: Permission denied (os error 13)" >&2\nkill -9 $$\n';
    await writeTree(dir.path, { "w/a.txt": "hit\n", "bin/rg": killed });
    await chmod(dir.at("bin", "rg"), 0o755);
    const grep = grepTool({ ripgrepPath: dir.at("bin", "rg") });
    expect((await runTool(grep, { pattern: "hit" }, contextIn(dir.at("w")))).text).toBe("a.txt:1: hit");
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "grep:hostile-tree",
  "endless rule files neither fill the memory nor stop a search",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "a.txt": "needle\n", "sub/b.txt": "needle\n" });
    await symlink("/dev/zero", dir.at("sub", ".gitignore"));
    for (const engine of [{}, { ripgrepPath: false }] as const) {
      const grep = grepTool({ ...engine, deadlineMs: 15_000 });
      const { text } = await runTool(grep, { pattern: "needle" }, contextIn(dir.path));
      expect(text).toBe("a.txt:1: needle\nsub/b.txt:1: needle");
    }
  },
  // On other platforms only the deadline ends it.
  { only: ["linux"], timeoutMs: 40_000 },
);

describe.each([
  ["ripgrep", grepTool()],
  ["fallback", grepTool({ ripgrepPath: false })],
] as const)("with %s", (_name, grep) => {
  verifies(
    "grep:hostile-tree",
    "pipes, link loops, deep folders and endless lines do not stop a search",
    async () => {
      await using dir = await tempDir();
      await writeTree(dir.path, {
        "a.txt": "needle\n",
        "z.txt": "needle\n",
        "one-line": `needle${"x".repeat(2_000_000)}`,
      });
      execFileSync("mkfifo", [dir.at("pipe"), dir.at("pipe.txt")]);
      await mkdir(dir.at("loop"));
      await symlink("..", dir.at("loop", "up"));
      await symlink("self", dir.at("loop", "self"));
      await symlink("/dev/zero", dir.at("zero.txt"));
      await makeSparse(dir.at("endless.txt"), atSize({ quick: 10 * 1024 * 1024, full: GIB }));
      const depth = atSize({ quick: 40, full: 120 });
      await mkdir(dir.at(...Array.from({ length: depth }, () => "deep".repeat(6))), { recursive: true });
      const { text } = await runTool(grep, { pattern: "needle" }, contextIn(dir.path));
      expect(text.split("\n").map((line) => line.slice(0, 18))).toEqual([
        "a.txt:1: needle",
        "one-line:1: needle",
        "z.txt:1: needle",
        "",
        "[files over 2 MiB,",
      ]);
    },
    { only: ["linux", "darwin"] },
  );

  verifies("grep:hostile-tree", "a tree that changes during the search still gives a result", async () => {
    await using dir = await tempDir();
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`d${at % 20}/f${at}`, "needle\n"]),
    );
    await writeTree(dir.path, files);
    const rounds = atSize({ quick: 3, full: 100 });
    for (let round = 0; round < rounds; round++) {
      const [result] = await Promise.all([
        runTool(grep, { pattern: "needle", cap: 5000 }, contextIn(dir.path)),
        writeTree(dir.path, files),
      ]);
      expect(result.isError).toBe(false);
    }
  });
});

verifies(
  "grep:hostile-tree",
  "unreadable files and folders are counted",
  async () => {
    await using program = await buildFileProgram();
    await using dir = await tempDir();
    await chmod(dir.path, 0o755);
    await writeTree(dir.at("tree"), {
      "a.txt": "needle\n",
      "locked/x": "needle\n",
      "locked.txt": "needle\n",
    });
    for (const name of ["locked", "locked.txt"]) await chmod(dir.at("tree", name), 0);
    // A copy, because the ordinary user may have no access to the repository.
    const ripgrepPath = dir.at("rg");
    await copyFile((await locateRipgrep()) ?? "", ripgrepPath);
    for (const choice of [{ ripgrepPath }, {}]) {
      const reports = await program.run({
        do: "calls",
        cwd: dir.at("tree"),
        uid: ORDINARY_USER,
        calls: [{ name: "grep", input: { pattern: "needle" } }],
        ...choice,
      });
      expect(reports).toEqual([
        { isError: false, output: "a.txt:1: needle\n\n[files or folders that could not be read: 2]" },
      ]);
    }
    await chmod(dir.at("tree", "locked"), 0o700);
  },
  { only: ["linux", "darwin"] },
);

/** A sparse file of this size: one endless line. */
async function makeSparse(path: string, size: number): Promise<void> {
  const file = await open(path, "w");
  await file.truncate(size);
  await file.close();
}

/** Waits for the process id that a sleeper writes. */
async function pidOf(path: string): Promise<number> {
  const read = (): Promise<string> => readFile(path, "utf8").catch(() => "");
  await expect.poll(read, { timeout: 5000, interval: 20 }).toMatch(/^\d+\n$/);
  return Number(await read());
}

async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Longer than an idle thread is kept: an earlier test of this process may have left one. */
const IDLE_THREADS_MS = 25_000;

async function untilNoThread(timeout = 5000): Promise<void> {
  const threads = (): number =>
    (process.report.getReport() as unknown as { workers: unknown[] }).workers.length;
  await expect.poll(threads, { timeout }).toBe(0);
}
