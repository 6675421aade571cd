import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readProcRow } from "indusagi/core";
import type { BenchCase } from "./case.ts";
import { type Figure, figureOf, ratioOf } from "./measure.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const INDUS = here("../packages/induscode/bin/indus.js");
const SERVER = here("../test/servers/gated.mjs");
const SERVERS = 40;
const TOOLS = 30;

/** See `host.ts`: the variable would improve the ratio. */
const { NODE_EXTRA_CA_CERTS: _ignored, ...env } = process.env;

interface Answer {
  readonly id?: number;
  readonly result?: { readonly tools?: readonly unknown[] };
}

interface Row {
  readonly command: string;
  readonly args: readonly string[];
}

/** A gateway in a folder of its own. */
class Gateway {
  readonly #folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
  readonly #file = join(this.#folder, "servers.json");
  readonly #flags: readonly string[];
  #pid = 0;

  constructor(count: number, row: Row, flags: readonly string[] = []) {
    const rows = Array.from({ length: count }, (_, at) => [`s${at}`, row] as const);
    writeFileSync(this.#file, JSON.stringify({ mcpServers: Object.fromEntries(rows) }));
    this.#flags = flags;
  }

  /** The process of the last start. */
  get pid(): number {
    return this.#pid;
  }

  /** Starts it, and resolves when the last of these requests is answered. Then the process is ended. */
  async until(...methods: readonly string[]): Promise<Answer> {
    const child = spawn(process.execPath, [INDUS, "serve", "--stdio", "--mcp", this.#file, ...this.#flags], {
      cwd: this.#folder,
      env: { ...env, XDG_STATE_HOME: join(this.#folder, "state") },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#pid = child.pid ?? 0;
    const clientInfo = { name: "bench", version: "1" };
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    for (const [id, method] of methods.entries()) {
      const params = method === "initialize" ? hello : {};
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    }
    try {
      let text = "";
      for await (const chunk of child.stdout.setEncoding("utf8") as AsyncIterable<string>) {
        text += chunk;
        const answers = text.split("\n").slice(0, -1);
        const found = answers
          .map((line) => JSON.parse(line) as Answer)
          .find(({ id }) => id === methods.length - 1);
        if (found) return found;
      }
      throw new Error("the gateway ended without an answer");
    } finally {
      this.#ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
    }
  }

  #ended: Promise<unknown> = Promise.resolve();

  /** Resolves when the last process has ended with all its servers. */
  ended(): Promise<unknown> {
    return this.#ended;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function compare(...methods: readonly string[]): Promise<Figure> {
  // The servers import nothing.
  const row = { command: process.execPath, args: [SERVER, "--count", String(TOOLS)] };
  const gateway = new Gateway(SERVERS, row);
  try {
    // The first list waits for the servers; afterwards their tools are known.
    const { result } = await gateway.until("initialize", "tools/list");
    await gateway.ended();
    if ((result?.tools?.length ?? 0) < SERVERS * TOOLS) throw new Error("not all tools were listed");
    return await ratioOf(
      { name: "gateway", run: () => gateway.until(...methods), prepare: () => gateway.ended() },
      {
        name: "bare node",
        run: () => void spawnSync(process.execPath, ["-e", "0"], { env }),
        prepare: () => gateway.ended(),
      },
      { rounds: 11 },
    );
  } finally {
    await gateway.ended();
    gateway.remove();
  }
}

const LAZY_SERVERS = 50;
const LAZY_TOOLS = 20;
const SHELF = here("serve/shelf.mjs");

/** Milliseconds from the start to a complete list, which no server was started for. */
async function lazyStart(): Promise<Figure> {
  const row = { command: process.execPath, args: [SHELF, String(LAZY_TOOLS)] };
  const gateway = new Gateway(LAZY_SERVERS, row, ["--lazy", "--profile", "none"]);
  try {
    // The first start learns the tools.
    await gateway.until("initialize", "tools/list");
    await gateway.ended();
    const samples: number[] = [];
    for (let round = 0; round < 11; round++) {
      const startMs = performance.now();
      const { result } = await gateway.until("initialize", "tools/list");
      samples.push(performance.now() - startMs);
      const started = childrenOf(gateway.pid);
      await gateway.ended();
      if (result?.tools?.length !== LAZY_SERVERS * LAZY_TOOLS || started.length > 0)
        throw new Error(`${result?.tools?.length} tools, and ${started.length} processes were started`);
    }
    return figureOf(samples);
  } finally {
    await gateway.ended();
    gateway.remove();
  }
}

/** Empty where the process table cannot be read. */
function childrenOf(parent: number): number[] {
  if (process.platform !== "linux") return [];
  const rows = readdirSync("/proc").flatMap((name) => (/^\d/.test(name) ? (readProcRow(name) ?? []) : []));
  return rows.filter((row) => row.parent === parent).map(({ pid }) => pid);
}

export const gatewayCases: readonly BenchCase[] = [
  {
    id: "serve-lazy-start",
    summary: `start \`indus serve --stdio --lazy\` with ${LAZY_SERVERS} servers, until their ${LAZY_SERVERS * LAZY_TOOLS} tools are listed with no server running, in milliseconds`,
    measure: lazyStart,
  },
  {
    id: "gateway-initialize",
    summary: `start \`indus serve --stdio\` with ${SERVERS} servers, until initialize is answered / bare node`,
    measure: () => compare("initialize"),
  },
  {
    id: "gateway-known-tools",
    summary: `the same until the ${SERVERS * TOOLS} tools known from the last run are listed / bare node`,
    measure: () => compare("initialize", "tools/list"),
  },
];
