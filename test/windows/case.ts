import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/** Something that must hold with the Windows build of Node. */
export interface WindowsCase {
  readonly id: string;
  readonly title: string;
  /** Rejects with what does not hold. */
  readonly run: (at: CasePlace) => Promise<void>;
  /** Why it cannot be run here. It is named on the page, and neither passed nor failed. */
  readonly absent?: () => string | undefined;
  /** A program on Node alone that fails where the platform is at fault, and says how that shows on the page. */
  readonly bare?: { readonly source: string; readonly cause: string };
}

/** Where a case runs: an empty folder, with a profile of a user in it. */
export interface CasePlace {
  /** A folder with a blank and a character outside ASCII in its path. */
  readonly folder: string;
  /** The folder of this repository. */
  readonly root: string;
  readonly env: { readonly [name: string]: string };
  readonly path: (...parts: readonly string[]) => string;
  /** Writes a file and its folders, and returns its path. */
  readonly file: (name: string, content: string, encoding?: BufferEncoding) => string;
}

export function casePlace(folder: string, root: string): CasePlace {
  mkdirSync(folder, { recursive: true });
  const path = (...parts: readonly string[]): string => join(folder, ...parts);
  const profile = path("profile");
  const env = {
    ...systemVariables(),
    USERPROFILE: profile,
    APPDATA: join(profile, "AppData", "Roaming"),
    LOCALAPPDATA: join(profile, "AppData", "Local"),
  };
  for (const name of [env.APPDATA, env.LOCALAPPDATA]) mkdirSync(name, { recursive: true });
  return {
    folder,
    root,
    env,
    path,
    file: (name, content, encoding) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content, encoding);
      return path(name);
    },
  };
}

const SYSTEM = ["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATH", "PATHEXT", "TEMP", "TMP"];

function systemVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && SYSTEM.includes(name.toUpperCase()) ? [[name.toUpperCase(), value]] : [],
    ),
  );
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Against a hang only. */
const HANG_MS = 300_000;

/** Runs a program to its end. */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<Ran> {
  const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (err += text));
  const limit = setTimeout(() => child.kill("SIGKILL"), HANG_MS);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, out, err }));
    });
  } finally {
    clearTimeout(limit);
  }
}

export function indusScript(root: string): string {
  return join(root, "packages/induscode/bin/indus.js");
}

/** Runs the `indus` command as a user of this place, in its folder. */
export function indus(at: CasePlace, ...args: readonly string[]): Promise<Ran> {
  return runProgram(process.execPath, [indusScript(at.root), ...args], { cwd: at.folder, env: at.env });
}

/** The answer of `indus`, which must have ended well. */
export async function answerOf(ran: Promise<Ran>): Promise<string> {
  const { code, out, err } = await ran;
  if (code !== 0) throw new Error(`exited with ${code}: ${err || out}`);
  return out;
}

/** The row of a server that offers one tool, `add`. */
export function listedServer(at: CasePlace): { command: string; args: string[] } {
  const offered = at.file(
    "offered.json",
    JSON.stringify({ tools: [{ name: "add", inputSchema: { type: "object" } }] }),
  );
  return { command: process.execPath, args: [join(at.root, "test/servers/listed.mjs"), offered] };
}

/** A configuration file with these rows. */
export function configFile(at: CasePlace, rows: object, name = "servers.json"): string {
  return at.file(name, JSON.stringify({ mcpServers: rows }));
}

export function mustBe(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

export function mustEqual(found: unknown, wanted: unknown, what: string): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (is !== should) throw new Error(`${what}: ${is}, not ${should}`);
}

/** Waits until something holds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 180_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await sleep(50);
  }
}

/** What a failed case leaves ends by itself. */
const LIFE_MS = 600_000;

/** A program that writes to its marker file as long as it lives, and neither reads its input nor ends by itself. */
export function heartbeatProgram(at: CasePlace): string {
  return at.file(
    "heartbeat.cjs",
    `const fs = require("node:fs");
const file = process.argv[2];
setInterval(() => fs.writeFileSync(file, String(Date.now())), 50);
setTimeout(() => process.exit(), ${LIFE_MS});
`,
  );
}

export async function mustBeat(marker: string): Promise<void> {
  await until(() => existsSync(marker), `${marker} is written`);
  const before = readFileSync(marker, "utf8");
  await until(() => readFileSync(marker, "utf8") !== before, `${marker} is written again`);
}

/** The program has ended if its marker is not written for a second. */
export async function mustHaveEnded(marker: string): Promise<void> {
  await until(() => existsSync(marker), `${marker} is written`);
  const deadline = performance.now() + 30_000;
  while (Date.now() - statSync(marker).mtimeMs < 1_000) {
    if (performance.now() > deadline) throw new Error("the program still runs");
    await sleep(100);
  }
}

/** A listed server that also writes to its marker file. A stubborn one outlives the end of its input. */
export function beatingServer(
  at: CasePlace,
  marker: string,
  how = "polite",
): { command: string; args: string[] } {
  const { command, args } = listedServer(at);
  const [script = "", ...rest] = args;
  const program = at.file(
    "beating.mjs",
    `import fs from "node:fs";
const beat = () => fs.writeFileSync(${JSON.stringify(marker)}, String(Date.now()));
beat();
setInterval(beat, 50);
setTimeout(process.exit, ${LIFE_MS});
if (process.argv[3] === "stubborn") process.exit = () => {};
await import(${JSON.stringify(`file:///${script.replaceAll("\\", "/")}`)});
`,
  );
  return { command, args: [program, ...rest, how] };
}

/** A command of `indus` that keeps running. */
export function startIndus(at: CasePlace, ...args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, [indusScript(at.root), ...args], {
    cwd: at.folder,
    env: at.env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (more: string) => (text += more));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  return {
    printed: async (pattern: RegExp): Promise<string> => {
      await until(() => pattern.test(text) || child.exitCode !== null, `${pattern} is printed`);
      const found = pattern.exec(text)?.[0];
      mustBe(found !== undefined, `it printed ${text}`);
      return found;
    },
    kill: async (): Promise<void> => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** `fetch` on `node:http`: under Wine the one of Node cannot connect. */
export function fetchByNode(
  url: string | URL,
  { method, headers, body, signal }: RequestInit = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      signal: signal ?? undefined,
    });
    asked.once("error", reject);
    asked.once("response", (answer) => {
      const { statusCode = 500 } = answer;
      const isEmpty = [202, 204, 304].includes(statusCode);
      if (isEmpty) answer.resume();
      resolve(
        new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream), {
          status: statusCode,
          headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [
            name,
            String(value),
          ]),
        }),
      );
    });
    asked.end(body ?? undefined);
  });
}
