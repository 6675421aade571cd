import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The program, to be run with node. */
export const indusBin: string = fileURLToPath(new URL("../../bin/indus.js", import.meta.url));
const script = fileURLToPath(new URL("../../../../test/servers/server.mjs", import.meta.url));

/** The command as a process, and its output so far. */
export interface Indus extends Disposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  out(): string;
  err(): string;
  /** The exit code, when the process has ended and its output is closed. */
  readonly ended: Promise<number | null>;
}

export function startIndus(
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly env?: NodeJS.ProcessEnv;
    /** Default: the one of this repository. */
    readonly program?: string;
  } = {},
): Indus {
  // No run knows what an earlier one remembered, unless the test gives both the same folder, nor the servers of the user.
  const state = mkdtempSync(join(tmpdir(), "indus-state-"));
  const child = spawn(process.execPath, [options.program ?? indusBin, ...args], {
    stdio: "pipe",
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, XDG_STATE_HOME: state, XDG_CONFIG_HOME: state, ...options.env },
  });
  child.once("close", () => rmSync(state, { recursive: true, force: true, maxRetries: 3 }));
  const texts = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (texts.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (texts.err += text));
  return {
    child,
    out: () => texts.out,
    err: () => texts.err,
    ended: once(child, "close").then(([code]) => code as number | null),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

/** Runs the command until it ends. */
export async function runIndus(
  args: readonly string[],
  options: Parameters<typeof startIndus>[1] = {},
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  using indus = startIndus(args, options);
  indus.child.stdin.end();
  const code = await indus.ended;
  return { code, out: indus.out(), err: indus.err() };
}

/** A configuration row for the scripted server. */
export function scriptedRow(...args: string[]): object {
  return { command: process.execPath, args: [script, ...args] };
}

/** A row for a program that never answers. It writes its process id to a file. */
export function muteRow(starts: string): object {
  const record = `require("node:fs").appendFileSync(${JSON.stringify(starts)}, process.pid + "\\n")`;
  return { command: process.execPath, args: ["-e", `${record}; setInterval(() => {}, 1000)`] };
}

/** A row for a program that never answers and ignores SIGTERM. It writes its process id to a file. */
export function stubbornRow(starts: string): object {
  const record = `require("node:fs").appendFileSync(${JSON.stringify(starts)}, process.pid + "\\n")`;
  const program = `${record}; process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`;
  return { command: process.execPath, args: ["-e", program] };
}

export async function writeConfig(file: string, mcpServers: object): Promise<string> {
  await writeFile(file, JSON.stringify({ mcpServers }, undefined, 2));
  return file;
}

/** Waits until a function returns a value. */
export async function eventually<Value>(
  what: () => Value | undefined | Promise<Value | undefined>,
  withinMs = 15_000,
): Promise<Value> {
  for (const until = performance.now() + withinMs; performance.now() < until; await pause(20)) {
    const value = await what();
    if (value !== undefined) return value;
  }
  throw new Error(`the value did not appear within ${withinMs / 1000} s`);
}

/** The process ids that servers wrote to a file, when there are at least `count`. */
export async function startedPids(file: string, count: number): Promise<readonly number[]> {
  return eventually(async () => {
    const pids = (await readFile(file, "utf8").catch(() => "")).split("\n").filter(Boolean).map(Number);
    return pids.length >= count ? pids : undefined;
  });
}

export async function untilGone(pids: readonly number[]): Promise<void> {
  await eventually(() => pids.every((pid) => !isAlive(pid)) || undefined);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
