import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readProcRow } from "indusagi/core";
import { memoryMb } from "../../fleet/processes.ts";
import { HttpCaller, type Revision } from "./http-caller.ts";

/** Relative to the script that runs, which is in the folder above. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const INDUS = here("../packages/induscode/bin/indus.js");

/** Without `NODE_EXTRA_CA_CERTS`: it makes every start of Node slower. */
const { NODE_EXTRA_CA_CERTS: _ignored, ...env } = process.env;

/** A row of a configuration file. */
export interface Row {
  readonly command: string;
  readonly args: readonly string[];
}

/** A process that serves over HTTP. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  /** The memory of the process and of everything that it started, in MB. Undefined where the system does not tell. */
  treeMb(): number | undefined;
  close(): Promise<void>;
}

export interface StartOptions {
  /** The program of Node. Default: the one of this run. */
  readonly node?: string;
  readonly args: readonly string[];
  /** Where it serves. Default: the first line that it writes. */
  readonly url?: string;
  /** A revision that it understands. */
  readonly revision?: Revision;
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
}

const READY_MS = 30_000;

/** Starts a program of Node that serves over HTTP, and waits until it answers. */
export async function startServing({
  node = process.execPath,
  args,
  url,
  revision,
  cwd,
  env: added = {},
}: StartOptions): Promise<Running> {
  const child = spawn(node, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...env, ...added },
    ...(cwd === undefined ? {} : { cwd }),
    detached: process.platform !== "win32",
  });
  try {
    const found = url ?? (await firstLine(child));
    await untilAnswering(found, child, revision);
    child.stdout?.resume();
    return {
      url: found,
      pid: child.pid ?? 0,
      treeMb: () => memoryMb(treeOf(child.pid ?? 0)),
      close: () => end(child),
    };
  } catch (thrown) {
    await end(child);
    throw thrown;
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of (stdout ?? Readable.from([])).setEncoding("utf8") as AsyncIterable<string>) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}

async function untilAnswering(url: string, child: ChildProcess, revision?: Revision): Promise<void> {
  for (const untilMs = performance.now() + READY_MS; ; ) {
    const caller = new HttpCaller(url, 1, { revision });
    try {
      await caller.open();
      return;
    } catch (thrown) {
      if (child.exitCode !== null || performance.now() > untilMs) throw thrown;
      await sleep(50);
    } finally {
      caller.close();
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null) return;
  const exited = once(child, "exit");
  // The group: some gateways do not end the server that they started.
  process.kill(process.platform === "win32" ? pid : -pid, "SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await exited;
  clearTimeout(timer);
}

/** A process and everything that it started. Empty where the process table cannot be read. */
function treeOf(root: number): number[] {
  if (process.platform !== "linux") return [];
  const rows = readdirSync("/proc").flatMap((name) => (/^\d/.test(name) ? (readProcRow(name) ?? []) : []));
  const found = new Set([root]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of rows) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** `indus serve` with these servers, in a folder of its own. */
export interface ServedFolder {
  /** The folder, for other commands in it. Its state is in `state`. */
  readonly path: string;
  start(...flags: readonly string[]): Promise<Running>;
  remove(): void;
}

/** `indus`: the program. Default: that of this build. */
export function servedFolder(rows: { readonly [id: string]: Row }, indus = INDUS): ServedFolder {
  const folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
  const file = join(folder, "servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: rows }));
  return {
    path: folder,
    start: (...flags) =>
      startServing({
        args: [indus, "serve", "--port", "0", "--profile", "none", "--mcp", file, ...flags],
        cwd: folder,
        env: { XDG_STATE_HOME: join(folder, "state") },
      }),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
