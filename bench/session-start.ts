import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn as spawnInTerminal } from "@lydell/node-pty";
import type { BenchCase } from "./case.ts";
import { type Figure, ratioOf, type Variant } from "./measure.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const INDUS = here("../packages/induscode/bin/indus.js");
const SERVER = [here("../test/servers/server.mjs"), "--era", "legacy"];
const SERVERS = 5;
/** Of each of these servers. */
const TOOLS = 22;
const MODEL = ["--model", "openai-compatible/some-model"];

/** See `host.ts`: the variable would improve the ratio. */
const { NODE_EXTRA_CA_CERTS: _ignored, ...plainEnv } = process.env;

/** A folder whose servers were all listed in an earlier run, and a model that never answers. */
interface Place {
  readonly folder: string;
  readonly env: { readonly [name: string]: string | undefined };
  /** Resolves when the model gets its next request. */
  request(): Promise<void>;
  /** The ends of the programs that were started. The folder is removed after them. */
  readonly ends: Promise<unknown>[];
}

async function inPlace(measure: (place: Place) => Promise<Figure>): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
  let arrived = (): void => {};
  const ends: Promise<unknown>[] = [];
  const model = createServer(() => arrived());
  model.listen(0, "127.0.0.1");
  await once(model, "listening");
  const env = {
    ...plainEnv,
    TERM: "xterm-256color",
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CONFIG_HOME: join(folder, "config"),
    OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    OPENAI_API_KEY: "x",
  };
  try {
    const rows = Array.from({ length: SERVERS }, (_, at) => [
      `s${at}`,
      { command: process.execPath, args: SERVER },
    ]);
    mkdirSync(join(folder, "config", "indusvx"), { recursive: true });
    const file = join(folder, "config", "indusvx", "mcp.json");
    writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(rows) }));
    const listed = spawnSync(process.execPath, [INDUS, "mcp", "list"], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    if (listed.status !== 0) throw new Error(`indus mcp list failed: ${listed.stderr}`);
    const request = (): Promise<void> => new Promise((resolve) => (arrived = resolve));
    return await measure({ folder, env, request, ends });
  } finally {
    model.closeAllConnections();
    model.close();
    await Promise.all(ends);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** One prompt, until the model gets its request. */
function onePrompt({ folder, env, request, ends }: Place, ...flags: readonly string[]): Variant {
  let ended: Promise<unknown> = Promise.resolve();
  return {
    name: flags.join(" "),
    prepare: () => ended,
    run: async () => {
      const asked = request();
      const args = [INDUS, "-p", ...MODEL, ...flags, "Hello"];
      const child = spawn(process.execPath, args, { cwd: folder, env, stdio: "ignore" });
      ended = once(child, "close");
      ends.push(ended);
      const isAsked = await Promise.race([asked.then(() => true), ended.then(() => false)]);
      if (!isAsked) throw new Error("indus -p ended without a request");
      child.kill(); // Not SIGKILL: a run that ends keeps its compiled code for the next one.
    },
  };
}

/** A conversation, until its first prompt is drawn with the line below it. */
function conversation({ folder, env, ends }: Place, ...flags: readonly string[]): Variant {
  let ended: Promise<unknown> = Promise.resolve();
  return {
    name: flags.join(" "),
    prepare: () => ended,
    run: () =>
      new Promise((resolve, reject) => {
        const args = [INDUS, "-i", ...MODEL, ...flags];
        const pty = spawnInTerminal(process.execPath, args, { cols: 80, rows: 24, cwd: folder, env });
        let written = "";
        ended = new Promise((end) => pty.onExit(end));
        ends.push(ended);
        void ended.then(() => reject(new Error(`indus -i ended without a prompt: ${written}`)));
        pty.onData((text) => {
          written += text;
          if (!written.includes("% of the context")) return;
          resolve(undefined);
          pty.kill("SIGTERM"); // As above.
        });
      }),
  };
}

export const sessionStartCases: readonly BenchCase[] = [
  {
    id: "session-known-request",
    summary: `indus -p with ${SERVERS} servers whose ${SERVERS * TOOLS} tools are known, until its first request / the same with --no-tools`,
    measure: () =>
      inPlace((place) => ratioOf(onePrompt(place), onePrompt(place, "--no-tools"), { rounds: 15 })),
  },
  {
    id: "session-known-prompt",
    summary: `indus in a terminal with ${SERVERS} servers whose ${SERVERS * TOOLS} tools are known, until its first prompt / the same with --no-tools`,
    measure: () =>
      inPlace((place) => ratioOf(conversation(place), conversation(place, "--no-tools"), { rounds: 15 })),
  },
];
