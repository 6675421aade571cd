import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./case.ts";
import { type Figure, figureOf, ratioOf } from "./measure.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const INDUS = here("../packages/induscode/bin/indus.js");
const ROW = { command: process.execPath, args: [here("../test/servers/server.mjs"), "--era", "legacy"] };
const TEXT = JSON.stringify("x".repeat(64));
const CALLS = 100;
/** As many as a program may have. */
const AT_ONCE = 8;

/** It makes every start of Node slower. */
const { NODE_EXTRA_CA_CERTS: _ignored, ...env } = process.env;

interface Answer {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean; readonly content?: unknown };
}

/** `indus serve --stdio --tools code` with an echo server, and the smallest client there can be. */
class Gateway {
  readonly #folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;

  constructor() {
    const file = join(this.#folder, "servers.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { s: ROW } }));
    const args = [
      INDUS,
      "serve",
      "--stdio",
      "--no-share",
      "--profile",
      "none",
      "--tools",
      "code",
      "--mcp",
      file,
    ];
    this.#child = spawn(process.execPath, args, {
      cwd: this.#folder,
      env: { ...env, XDG_STATE_HOME: join(this.#folder, "state") },
    });
    this.#child.stderr.resume();
    createInterface(this.#child.stdout).on("line", (line) => {
      const answer = JSON.parse(line) as Answer;
      this.#waiting.get(answer.id ?? 0)?.(answer);
    });
  }

  /** Started, with its server. */
  async open(): Promise<this> {
    const clientInfo = { name: "bench", version: "1" };
    await this.#request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    await this.direct();
    return this;
  }

  direct(): Promise<void> {
    return this.#call("s__echo", `{"text":${TEXT}}`);
  }

  program(code: string): Promise<void> {
    return this.#call("run_code", JSON.stringify({ code }));
  }

  async close(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.stdin.end();
    await ended;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #call(name: string, input: string): Promise<void> {
    const { result } = await this.#request("tools/call", { name, arguments: JSON.parse(input) as object });
    if (!result || result.isError) throw new Error(`${name} failed: ${JSON.stringify(result?.content)}`);
  }

  #request(method: string, params: object): Promise<Answer> {
    this.#last += 1;
    const id = this.#last;
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }
}

const CALL = `s.echo({ text: ${TEXT} })`;

async function withGateway(measure: (gateway: Gateway) => Promise<Figure>): Promise<Figure> {
  const gateway = await new Gateway().open();
  try {
    return await measure(gateway);
  } finally {
    await gateway.close();
  }
}

async function msOf(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const warm: BenchCase = {
  id: "code-call",
  summary:
    "run_code with one call through `indus serve --stdio`, not the first, less 1.5 times the same call made directly, in milliseconds",
  measure: () =>
    withGateway(async (gateway) => {
      const samples: number[] = [];
      for (let round = 0; round < 60; round++) {
        const direct = await msOf(() => gateway.direct());
        samples.push((await msOf(() => gateway.program(`return await ${CALL}`))) - 1.5 * direct);
      }
      return figureOf(samples.slice(10));
    }),
};

const cold: BenchCase = {
  id: "code-cold",
  summary: "the first run_code of a gateway, with one call / node -e 0",
  measure: async () => {
    let gateway: Gateway | undefined;
    const first = {
      name: "run_code",
      prepare: async () => {
        await gateway?.close();
        gateway = await new Gateway().open();
      },
      run: () => gateway?.program(`return await ${CALL}`),
    };
    const node = {
      name: "node -e 0",
      run: () => {
        if (spawnSync(process.execPath, ["-e", "0"], { env }).status !== 0)
          throw new Error("node did not start");
      },
    };
    try {
      return await ratioOf(first, node, { rounds: 11 });
    } finally {
      await gateway?.close();
    }
  },
};

const inTurn: BenchCase = {
  id: "code-100",
  summary: `a program with ${CALLS} calls one after another / a client of \`indus serve --stdio\` that makes them itself`,
  measure: () =>
    withGateway((gateway) =>
      ratioOf(
        {
          name: "program",
          run: () => gateway.program(`for (let i = 0; i < ${CALLS}; i++) await ${CALL}; return 1`),
        },
        {
          name: "direct",
          run: async () => {
            for (let at = 0; at < CALLS; at++) await gateway.direct();
          },
        },
        { rounds: 21 },
      ),
    ),
};

const atOnce: BenchCase = {
  id: "code-100-at-once",
  summary: `a program with ${CALLS} calls in one Promise.all, of which ${AT_ONCE} run at a time / a client of \`indus serve --stdio\` that makes them itself, ${AT_ONCE} at a time`,
  measure: () =>
    withGateway((gateway) =>
      ratioOf(
        {
          name: "program",
          run: () =>
            gateway.program(`await Promise.all(Array.from({ length: ${CALLS} }, () => ${CALL})); return 1`),
        },
        {
          name: "direct",
          run: () => {
            let left = CALLS;
            const lane = async (): Promise<void> => {
              while (left-- > 0) await gateway.direct();
            };
            return Promise.all(Array.from({ length: AT_ONCE }, lane));
          },
        },
        { rounds: 21 },
      ),
    ),
};

export const codeCases: readonly BenchCase[] = [warm, cold, inTurn, atOnce];
