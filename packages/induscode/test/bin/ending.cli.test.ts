import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tempDir, verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import {
  eventually,
  type Indus,
  scriptedRow,
  startedPids,
  startIndus,
  stubbornRow,
  untilGone,
  writeConfig,
} from "./run-indus.ts";

const POSIX = ["linux", "darwin"] as const;
const STACK = /^\s+at /m;

/** Sends a signal; returns the exit code and the time until the exit. */
async function endedBy(
  indus: Indus,
  signal: NodeJS.Signals,
): Promise<{ readonly code: number | null; readonly ms: number }> {
  const startMs = performance.now();
  indus.child.kill(signal);
  const code = await indus.ended;
  return { code, ms: performance.now() - startMs };
}

verifiesTogether(
  "command:signals",
  "a serving command ends with the signal's exit code",
  async () => {
    await using dir = await tempDir();
    const ends = await Promise.all(
      (["SIGTERM", "SIGHUP"] as const).map(async (signal) => {
        const starts = dir.at(`starts-${signal}`);
        const file = await writeConfig(dir.at(`${signal}.json`), { s: scriptedRow("--starts", starts) });
        using indus = startIndus(["serve", "--port", "0", "--with-parent", "--mcp", file]);
        await eventually(() => indus.out().includes("\n") || undefined);
        const pids = await startedPids(starts, 1);
        const end = await endedBy(indus, signal);
        await untilGone(pids);
        expect(indus.err()).not.toMatch(STACK);
        expect(indus.err()).toContain(`indus: ending: it received ${signal}\n`);
        return end;
      }),
    );
    expect(ends.map(({ code }) => code)).toEqual([143, 129]);
    expect(Math.max(...ends.map(({ ms }) => ms))).toBeLessThan(6_000);
  },
  { only: POSIX },
);

verifiesTogether(
  "command:signals",
  "a server that ignores SIGTERM is killed, also while it starts, and at once by a second signal",
  async () => {
    await using dir = await tempDir();
    const [patient, hurried] = await Promise.all(
      [0, 400].map(async (secondMs) => {
        const starts = dir.at(`starts-${secondMs}`);
        const file = await writeConfig(dir.at(`${secondMs}.json`), { stubborn: stubbornRow(starts) });
        using indus = startIndus(["mcp", "list", "--mcp", file]);
        const pids = await startedPids(starts, 1);
        const ending = endedBy(indus, "SIGINT");
        if (secondMs > 0) {
          await pause(secondMs);
          indus.child.kill("SIGINT");
        }
        const end = await ending;
        await untilGone(pids);
        expect(indus.err()).not.toMatch(STACK);
        return end;
      }),
    );
    expect([patient?.code, hurried?.code]).toEqual([130, 130]);
    expect(patient?.ms).toBeLessThan(6_000);
  },
  { only: POSIX },
);

verifiesTogether(
  "command:signals",
  "Ctrl-C cancels a call",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const file = await writeConfig(dir.at("servers.json"), { s: scriptedRow("--starts", starts) });
    using indus = startIndus(["mcp", "call", "s__silent", "--mcp", file]);
    const pids = await startedPids(starts, 1);
    await pause(500);
    expect(await endedBy(indus, "SIGINT")).toMatchObject({ code: 130 });
    await untilGone(pids);
    expect(indus.out()).toBe("");
    expect(indus.err()).not.toMatch(STACK);
  },
  { only: POSIX },
);

verifiesTogether("command:closed-output", "a closed output is not an error", async () => {
  await using dir = await tempDir();
  const file = await writeConfig(dir.at("servers.json"), { s: scriptedRow("--many", "3000") });
  using indus = startIndus(["mcp", "list", "--json", "--mcp", file]);
  indus.child.stdout.destroy();
  expect(await indus.ended).toBe(0);
  expect(indus.err()).toBe("");
});

/** A command that has finished, with more output than a pipe holds and a reader that does not read. */
async function stalledIndus(folder: string): Promise<Indus> {
  const starts = join(folder, "starts");
  const file = await writeConfig(join(folder, "servers.json"), { s: scriptedRow("--starts", starts) });
  const indus = startIndus(["mcp", "call", "s__huge", "bytes:=300000", "--no-check", "--mcp", file]);
  indus.child.stdout.pause();
  await untilGone(await startedPids(starts, 1));
  return indus;
}

verifiesTogether("command:slow-reader", "a slow reader gets all output", async () => {
  await using dir = await tempDir();
  using indus = await stalledIndus(dir.path);
  // Longer than a finished command waits before it exits.
  await pause(900);
  expect(indus.child.exitCode).toBeNull();
  indus.child.stdout.resume();
  expect(await indus.ended).toBe(0);
  expect(indus.out()).toHaveLength(300_001);
});

verifiesTogether(
  "command:slow-reader",
  "a reader that closes the output ends the command without an error",
  async () => {
    await using dir = await tempDir();
    using indus = await stalledIndus(dir.path);
    indus.child.stdout.destroy();
    expect(await indus.ended).toBe(0);
    expect(indus.err()).toBe("");
  },
);

verifiesTogether(
  "command:slow-reader",
  "a signal ends a command whose output is not read, finished or not",
  async () => {
    await using dir = await tempDir();
    using over = await stalledIndus(dir.path);
    const ended = once(over.child, "exit");
    over.child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);

    const file = await writeConfig(dir.at("served.json"), { s: scriptedRow() });
    using serving = startIndus(["serve", "--stdio", "--mcp", file]);
    const { stdin, stdout } = serving.child;
    stdout.pause();
    const params = { name: "s__huge", arguments: { bytes: 1_000_000 } };
    const clientInfo = { name: "test", version: "1" };
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello })}\n`);
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params })}\n`);
    await eventually(() => stdout.readableLength > 10_000 || undefined);
    const exited = once(serving.child, "exit");
    serving.child.kill("SIGTERM");
    expect(await exited).toEqual([143, null]);
  },
  { only: POSIX },
);

verifiesTogether(
  "command:orphaned",
  "when the parent is killed, the command and its servers end",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const file = await writeConfig(dir.at("servers.json"), { s: scriptedRow("--starts", starts) });
    const bin = fileURLToPath(new URL("../../bin/indus.js", import.meta.url));
    const args = JSON.stringify([bin, "serve", "--port", "0", "--with-parent", "--mcp", file]);
    const parent = spawn(process.execPath, [
      "-e",
      `const child = require("node:child_process").spawn(process.execPath, ${args}, { stdio: "ignore" });
       console.log(child.pid); setInterval(() => {}, 1000)`,
    ]);
    let output = "";
    parent.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    const command = await eventually(() => (output.includes("\n") ? Number(output) : undefined));
    const servers = await startedPids(starts, 1);
    parent.kill("SIGKILL");
    await untilGone([command, ...servers]);
  },
  { only: POSIX },
);
