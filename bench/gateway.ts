import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./case.ts";
import { type Figure, ratioOf } from "./measure.ts";

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

/** A gateway in a folder of its own, with servers that import nothing. */
class Gateway {
  readonly #folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
  readonly #file = join(this.#folder, "servers.json");

  constructor() {
    const row = { command: process.execPath, args: [SERVER, "--count", String(TOOLS)] };
    const rows = Array.from({ length: SERVERS }, (_, at) => [`s${at}`, row] as const);
    writeFileSync(this.#file, JSON.stringify({ mcpServers: Object.fromEntries(rows) }));
  }

  /** Starts it, and resolves when the last of these requests is answered. Then the process is ended. */
  async until(...methods: readonly string[]): Promise<Answer> {
    const child = spawn(process.execPath, [INDUS, "serve", "--stdio", "--mcp", this.#file], {
      cwd: this.#folder,
      env: { ...env, XDG_STATE_HOME: join(this.#folder, "state") },
      stdio: ["pipe", "pipe", "ignore"],
    });
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
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function compare(...methods: readonly string[]): Promise<Figure> {
  const gateway = new Gateway();
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

export const gatewayCases: readonly BenchCase[] = [
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
