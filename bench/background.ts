import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { endMarked, markedProcesses, memoryMb } from "../fleet/processes.ts";
import { MARK_VARIABLE } from "../fleet/scratch.ts";
import { median } from "../test/kit/median.ts";
import type { BenchCase } from "./case.ts";
import { type Figure, figureOf, ratioOf, type Sampler, type Variant } from "./measure.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const INDUS = here("../packages/induscode/bin/indus.js");
const ECHO = [here("../test/servers/server.mjs"), "--era", "legacy"];
const EVERYTHING = [here("../node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "stdio"];

/** A client of `indus serve --stdio`: that process, and its messages. */
interface Client {
  readonly child: ChildProcess;
  request(method: string, params?: object): Promise<unknown>;
  leave(): Promise<void>;
}

/** A user with folders of their own, so that their background gateway is only theirs. */
interface User {
  /** Begins the marks of all processes of this user. */
  readonly mark: string;
  rows(rows: { readonly [id: string]: object }): void;
  folder(name: string): string;
  up(): Promise<void>;
  /** Starts a client. It has been introduced. */
  client(folder: string, ...flags: readonly string[]): Promise<Client>;
  /** Runs a command to its end. */
  indus(folder: string, ...words: readonly string[]): void;
}

async function asUser(measure: (user: User) => Promise<Figure>): Promise<Figure> {
  const root = mkdtempSync(join(tmpdir(), "indus-bench-"));
  const mark = `${root}.`;
  const folder = (...parts: readonly string[]): string => {
    const path = join(root, ...parts);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: folder("home"),
    XDG_CONFIG_HOME: folder("home", ".config"),
    XDG_STATE_HOME: folder("home", ".local", "state"),
    XDG_RUNTIME_DIR: folder("run"),
    [MARK_VARIABLE]: mark,
  };
  delete env["INDUS_TREE"];
  const user: User = {
    mark,
    // A server gets the mark from its row: of the environment it would not inherit it.
    rows: (rows) => {
      const marked = Object.entries(rows).map(([id, row]) => [
        id,
        { ...row, env: { [MARK_VARIABLE]: mark } },
      ]);
      const file = join(folder("home", ".config", "indusvx"), "mcp.json");
      writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(marked) }));
    },
    folder: (name) => folder(name),
    up: async () => {
      const gateway = spawn(process.execPath, [INDUS, "up", "--foreground"], {
        env,
        stdio: ["ignore", "ignore", "pipe"],
      });
      await waitFor(gateway, "listening at");
    },
    client: (cwd, ...flags) => connect(cwd, env, flags),
    indus: (cwd, ...words) => {
      const { status, stderr } = spawnSync(process.execPath, [INDUS, ...words], {
        cwd,
        env,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`indus ${words.join(" ")} failed: ${stderr}`);
    },
  };
  try {
    return await measure(user);
  } finally {
    spawnSync(process.execPath, [INDUS, "down"], { env });
    endMarked(mark);
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function waitFor({ stderr }: ChildProcess, text: string): Promise<void> {
  let said = "";
  for await (const chunk of stderr ?? []) {
    said += String(chunk);
    if (said.includes(text)) break;
  }
  if (!said.includes(text)) throw new Error(`the background gateway did not start: ${said}`);
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

async function connect(cwd: string, env: NodeJS.ProcessEnv, flags: readonly string[]): Promise<Client> {
  const words = [INDUS, "serve", "--stdio", "--profile", "none", ...flags];
  const child = spawn(process.execPath, words, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<
    number,
    (message: { readonly result?: unknown; readonly error?: unknown }) => void
  >();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as Answer;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  let last = 0;
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const client: Client = {
    child,
    request: (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        waiting.set(id, ({ result, error }) => {
          waiting.delete(id);
          if (result === undefined) reject(new Error(`${method} failed: ${JSON.stringify(error)}`));
          else resolve(result);
        });
        child.once("exit", () => reject(new Error(`indus serve ended before it answered ${method}`)));
        send({ id, method, params });
      }),
    leave: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
  child.setMaxListeners(0);
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  await client.request("initialize", params);
  send({ method: "notifications/initialized" });
  return client;
}

const CLIENTS = 5;
const SERVERS = 10;
const SETTLE_MS = 2_000;

/** The memory of everything that some clients, each with the same servers, make this user run. */
async function memoryOf(
  user: User,
  folders: readonly string[],
  ...flags: readonly string[]
): Promise<number> {
  const clients: Client[] = [];
  for (const name of folders) {
    const client = await user.client(user.folder(name), ...flags);
    clients.push(client);
    const { tools } = (await client.request("tools/list")) as {
      readonly tools: readonly { readonly name: string }[];
    };
    const listed = new Set(tools.map((tool) => tool.name.split("__")[0]));
    if (listed.size !== SERVERS) throw new Error(`only ${listed.size} servers were listed`);
  }
  await sleep(SETTLE_MS);
  const mb = memoryMb(markedProcesses(user.mark)) ?? Number.NaN;
  for (const client of clients) await client.leave();
  return mb;
}

interface FiveClients {
  readonly name: string;
  readonly row: object;
  readonly folders: readonly string[];
  readonly what: string;
  /** The clients without the gateway. Default: one. */
  readonly base?: { readonly folders: readonly string[]; readonly what: string };
}

function fiveClients({ name, row, folders, what, base }: FiveClients): BenchCase {
  const { folders: without, what: others } = base ?? { folders: ["one"], what: "one client" };
  return {
    id: `background-memory-${name}`,
    summary: `memory (PSS) of all processes, ${SERVERS} × server-everything: ${what}, with the background gateway / ${others} without it`,
    measure: () =>
      asUser(async (user) => {
        user.rows(Object.fromEntries(Array.from({ length: SERVERS }, (_, at) => [`s${at}`, row])));
        const alone = await memoryOf(user, without, "--no-share");
        await user.up();
        return figureOf([(await memoryOf(user, folders)) / alone]);
      }),
  };
}

const everything = { command: process.execPath, args: EVERYTHING };
const names = Array.from({ length: CLIENTS }, (_, at) => `folder-${at}`);
const inOwn = `${CLIENTS} clients in ${CLIENTS} folders`;
const memory: readonly BenchCase[] = [
  fiveClients({
    name: "folder",
    row: everything,
    folders: names.map(() => "one"),
    what: `${CLIENTS} clients in one folder`,
  }),
  fiveClients({
    name: "user",
    row: { ...everything, share: "user" },
    folders: names,
    what: `${inOwn}, rows with "share": "user"`,
  }),
  fiveClients({
    name: "folders",
    row: everything,
    folders: names,
    what: `${inOwn}, rows without "share"`,
    base: { folders: names, what: "the same clients" },
  }),
];

const echo = { echo: { command: process.execPath, args: ECHO } };

const shimMemory: BenchCase = {
  id: "background-shim-memory",
  summary:
    "memory (PSS) of `indus serve --stdio` at rest while a background gateway runs / bare node at rest",
  measure: () =>
    asUser(async (user) => {
      user.rows(echo);
      await user.up();
      const client = await user.client(user.folder("one"));
      await client.request("tools/list");
      const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
      try {
        await sleep(SETTLE_MS);
        const size = ({ pid = 0 }: ChildProcess): number => memoryMb([pid]) ?? Number.NaN;
        return figureOf([size(client.child) / size(bare)]);
      } finally {
        bare.kill();
        await client.leave();
      }
    }),
};

const bareNode: Variant = { name: "bare node", run: () => void spawnSync(process.execPath, ["-e", "0"]) };

const firstAnswer: BenchCase = {
  id: "background-first-answer",
  summary:
    "start `indus serve --stdio` while a background gateway runs, until `initialize` is answered / node -e 0",
  measure: () =>
    asUser(async (user) => {
      user.rows(echo);
      await user.up();
      const folder = user.folder("one");
      // A client with open servers, as for the second and all later clients of a user.
      const first = await user.client(folder);
      await first.request("tools/list");
      let last: Client | undefined;
      const start: Variant = {
        name: "shim",
        prepare: async () => last?.leave(),
        run: async () => (last = await user.client(folder)),
      };
      return ratioOf(start, bareNode, { rounds: 21 });
    }),
};

const CALLS = 200;

function medianCall(name: string, client: Client): Sampler {
  const params = { name: "echo__echo", arguments: { text: "x".repeat(64) } };
  return {
    name,
    sample: async () => {
      const times: number[] = [];
      for (let left = CALLS; left > 0; left--) {
        const start = performance.now();
        await client.request("tools/call", params);
        times.push(performance.now() - start);
      }
      return median(times);
    },
  };
}

const call: BenchCase = {
  id: "background-call",
  summary: "p50 of a call through `indus serve --stdio` with the background gateway / without it",
  measure: () =>
    asUser(async (user) => {
      user.rows(echo);
      await user.up();
      const folder = user.folder("one");
      const shared = await user.client(folder);
      const own = await user.client(folder, "--no-share");
      for (const client of [shared, own]) await client.request("tools/list");
      return ratioOf(medianCall("shared", shared), medianCall("private", own), { rounds: 21 });
    }),
};

const command: BenchCase = {
  id: "background-mcp-call",
  summary: "indus mcp call on a server that runs in the background gateway / node -e 0",
  measure: () =>
    asUser(async (user) => {
      user.rows(echo);
      await user.up();
      const folder = user.folder("one");
      const client = await user.client(folder);
      await client.request("tools/list");
      const run = (): void => user.indus(folder, "mcp", "call", "echo__echo", "text=hello");
      return ratioOf({ name: "mcp call", run }, bareNode, { rounds: 15 });
    }),
};

export const backgroundCases: readonly BenchCase[] = [...memory, shimMemory, firstAnswer, call, command];
