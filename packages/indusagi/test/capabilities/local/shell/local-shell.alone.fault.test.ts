import { randomInt } from "node:crypto";
import { stat, writeFile } from "node:fs/promises";
import { atSize, machinePace, tempDir, verifies } from "@indus/testkit";
import { localShell } from "indusagi/capabilities";
import { expect } from "vitest";
import {
  aliveWith,
  becomesTrue,
  environmentClearers,
  hasBeenSeen,
  lateEnvironmentClearer,
  newMark,
  SHAPES,
} from "../../../core/process-tree/tree-shapes.ts";

const only = ["linux"] as const;
const shell = localShell();
const MIB = 1024 * 1024;
const TIMEOUT_MS = 400;

const STUBBORN: { readonly [shape: string]: (mark: string) => string } = {
  ...SHAPES,
  "a sleeper": (mark) => `sleep ${mark}`,
  "a setsid daemon": (mark) => `setsid -f sleep ${mark}; sleep ${mark}`,
  "one that stops itself": (mark) => `: ${mark}; kill -STOP $$`,
  "a deep tree": (mark) => `f() { if [ $1 = 0 ]; then sleep ${mark}; else (f $(($1 - 1)); true); fi; }; f 50`,
  "one that execs": (mark) => `exec sleep ${mark}`,
};

/** Runs one into its timeout; returns how long the ending took. */
async function runIntoTimeout(shape: string, command: (mark: string) => string): Promise<number> {
  const mark = newMark();
  const startedMs = performance.now();
  const result = await shell.exec(command(mark), { timeoutMs: TIMEOUT_MS });
  const tookMs = performance.now() - startedMs - TIMEOUT_MS;
  expect(result, shape).toMatchObject({ timedOut: true, code: null });
  expect(result.signal, shape).toMatch(/^SIG(TERM|KILL)$/);
  expect(aliveWith(mark), shape).toEqual([]);
  return tookMs;
}

verifies(
  "shell:timeout",
  "no process is left after a timeout, all at once, and in the long run one by one within two seconds",
  async () => {
    await Promise.all(Object.entries(STUBBORN).map(([shape, command]) => runIntoTimeout(shape, command)));
    for (let round = 0; round < atSize({ quick: 0, full: 10 }); round += 1) {
      for (const [what, command] of Object.entries(STUBBORN)) {
        const pace = await machinePace();
        await pace.check([await runIntoTimeout(what, command)], { what, hangMs: 10_000, medianMs: 2_000 });
      }
    }
  },
  { only, timeoutMs: 300_000 },
);

verifies(
  "shell:abort",
  "no process is left after an abort",
  async () => {
    for (let round = 0; round < atSize({ quick: 1, full: 20 }); round += 1) {
      const ends = Object.entries(STUBBORN).map(async ([shape, command]) => {
        const mark = newMark();
        // Also while it starts.
        const signal = AbortSignal.timeout(randomInt(300));
        await expect(shell.exec(command(mark), { signal }), shape).rejects.toMatchObject({
          name: "TimeoutError",
        });
        expect(aliveWith(mark), shape).toEqual([]);
      });
      await Promise.all(ends);
    }
  },
  { only, timeoutMs: 120_000 },
);

verifies(
  "shell:abort",
  "a process that clears its environment after a scan is ended too",
  async () => {
    await using dir = await tempDir();
    const mark = newMark();
    const abort = new AbortController();
    const startedMs = performance.now();
    const running = shell.exec(lateEnvironmentClearer(mark, dir.at("go")), { signal: abort.signal });
    expect(await becomesTrue(() => aliveWith(`${mark}0`).length > 0)).toBe(true);
    await hasBeenSeen(startedMs);
    await writeFile(dir.at("go"), "");
    expect(await becomesTrue(() => environmentClearers(mark).length === 1)).toBe(true);
    abort.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    expect(aliveWith(mark)).toEqual([]);
  },
  { only },
);

verifies(
  "shell:bounded",
  "endless, binary and single-line output is read to its end in bounded memory",
  async () => {
    await using dir = await tempDir();
    const bytes = atSize({ quick: 64 * MIB, full: 2_000 * MIB });
    await shell.exec("true");
    let peakMemory = 0;
    const before = process.memoryUsage.rss();
    const watch = setInterval(() => {
      peakMemory = Math.max(peakMemory, process.memoryUsage.rss() - before);
    }, 10);
    const lineless = await shell.exec(`head -c ${bytes} /dev/zero`);
    expect(lineless.omittedBytes).toBe(bytes - 64 * 1024);
    const lines = await shell.exec(`yes | head -c ${bytes}`, { spillDir: dir.at("spill") });
    expect(lines.omittedBytes).toBe(bytes - 64 * 1024);
    const spilled = await stat(lines.spillPath ?? "");
    expect(spilled.size).toBeGreaterThanOrEqual(Math.min(bytes, 64 * MIB));
    expect(spilled.size).toBeLessThan(64 * MIB + 200);
    const binary = await shell.exec(`head -c ${4 * MIB} /dev/urandom`);
    expect(binary.code).toBe(0);
    clearInterval(watch);
    // Node itself keeps about 40 MB of read buffers before they are collected.
    expect(peakMemory).toBeLessThan(128 * MIB);
  },
  { only, timeoutMs: 120_000 },
);

verifies(
  "shell:bounded",
  "an endless `yes` is stopped by the timeout, and its output is cut",
  async () => {
    const result = await shell.exec("yes; true", { timeoutMs: 200, maxBytes: 1_000 });
    expect(result).toMatchObject({ timedOut: true });
    expect(Buffer.byteLength(result.stdout)).toBeLessThan(1_100);
    expect(result.omittedBytes).toBeGreaterThan(1_000);
  },
  { only },
);
