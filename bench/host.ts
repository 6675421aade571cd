import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { BenchCase } from "./case.ts";
import { ratioOf } from "./measure.ts";

/** The same echo tool behind our host and behind the bare SDK server, each a process of its own. */
const programs = {
  ours: fileURLToPath(new URL("host/ours.mjs", import.meta.url)),
  bare: fileURLToPath(new URL("host/bare.mjs", import.meta.url)),
};

type Call = () => Promise<unknown>;
type Connect = (program: string) => Promise<{ readonly call: Call; close(): Promise<void> }>;

const TEXT = "x".repeat(64);

const overStdio: Connect = async (program) => {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, "stdio"] }));
  return {
    call: () => client.callTool({ name: "echo", arguments: { text: TEXT } }),
    close: () => client.close(),
  };
};

const overHttp =
  (options: object): Connect =>
  async (program) => {
    const child: ChildProcess = spawn(process.execPath, [program, "http"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
    const client = new Client({ name: "bench", version: "1.0.0" }, options);
    await client.connect(new StreamableHTTPClientTransport(new URL(line.toString().trim())));
    return {
      call: () => client.callTool({ name: "echo", arguments: { text: TEXT } }),
      close: async () => {
        await client.close();
        child.kill();
        await once(child, "exit");
      },
    };
  };

type Load = (call: Call) => Promise<void>;

const inTurn: Load = async (call) => {
  for (let i = 0; i < 150; i++) await call();
};

/** So many times 64 calls; a pipe is ten times as fast as HTTP, and a round too short measures its disturbances. */
const atOnce =
  (times: number): Load =>
  async (call) => {
    for (let i = 0; i < times; i++) await Promise.all(Array.from({ length: 64 }, call));
  };

function compare(id: string, summary: string, connect: Connect, load: Load): BenchCase {
  return {
    id,
    summary,
    measure: async () => {
      const ours = await connect(programs.ours);
      const bare = await connect(programs.bare);
      try {
        return await ratioOf(
          { name: "host", run: () => load(ours.call) },
          { name: "SDK", run: () => load(bare.call) },
          { rounds: 31 },
        );
      } finally {
        await ours.close();
        await bare.close();
      }
    },
  };
}

const modern = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
const { NODE_EXTRA_CA_CERTS: _flattering, ...env } = process.env;

const startUp: BenchCase = {
  id: "host-start",
  summary: "a process that serves a host on stdio and ends with its input / bare node",
  measure: () =>
    ratioOf(
      {
        name: "serve",
        run: () => void spawnSync(process.execPath, [programs.ours, "stdio"], { input: "", env }),
      },
      { name: "bare node", run: () => void spawnSync(process.execPath, ["-e", "0"], { env }) },
      { rounds: 15 },
    ),
};

export const hostCases: readonly BenchCase[] = [
  compare(
    "host-stdio",
    "calls one after another to a host on stdio / to the bare SDK server",
    overStdio,
    inTurn,
  ),
  compare(
    "host-stdio-64",
    "calls with 64 in flight to a host on stdio / to the bare SDK server",
    overStdio,
    atOnce(60),
  ),
  compare(
    "host-http",
    "calls one after another to a host on HTTP, 2025 / to the bare SDK server",
    overHttp({}),
    inTurn,
  ),
  compare(
    "host-http-64",
    "calls with 64 in flight to a host on HTTP, 2025 / to the bare SDK server",
    overHttp({}),
    atOnce(8),
  ),
  compare(
    "host-http-modern",
    "calls one after another to a host on HTTP, 2026 / to the bare SDK server",
    overHttp(modern),
    inTurn,
  ),
  compare(
    "host-http-modern-64",
    "calls with 64 in flight to a host on HTTP, 2026 / to the bare SDK server",
    overHttp(modern),
    atOnce(8),
  ),
  startUp,
];
