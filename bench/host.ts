import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { BenchCase } from "./case.ts";
import { ratioOf } from "./measure.ts";

const ours = fileURLToPath(new URL("host/ours.mjs", import.meta.url));
const bare = fileURLToPath(new URL("host/bare.mjs", import.meta.url));

/**
 * The same echo tool behind our host and behind the bare SDK server, each in its own process. Our host always keeps
 * events so that a client can resume a stream; the bare server does so only with an event store, and is slower with one.
 */
const PROGRAMS = {
  ours: { stdio: [ours, "stdio"], http: [ours, "http"] },
  bare: { stdio: [bare, "stdio"], http: [bare, "http"] },
  bareWithStore: { stdio: [bare, "stdio"], http: [bare, "http", "--event-store"] },
} as const;

type Program = (typeof PROGRAMS)[keyof typeof PROGRAMS];
type Call = () => Promise<unknown>;
type Connect = (program: Program) => Promise<{ readonly call: Call; close(): Promise<void> }>;

const TEXT = "x".repeat(64);

const overStdio: Connect = async (program) => {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...program.stdio] }));
  return {
    call: () => client.callTool({ name: "echo", arguments: { text: TEXT } }),
    close: () => client.close(),
  };
};

const overHttp =
  (options: object): Connect =>
  async (program) => {
    const child: ChildProcess = spawn(process.execPath, program.http, {
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

/** `batches` × 64 calls. A pipe is ten times as fast as HTTP and needs more of them for a round that is long enough. */
const atOnce =
  (batches: number): Load =>
  async (call) => {
    for (let i = 0; i < batches; i++) await Promise.all(Array.from({ length: 64 }, call));
  };

interface Comparison {
  readonly id: string;
  readonly summary: string;
  readonly connect: Connect;
  readonly load: Load;
  readonly base: Program;
}

function compare({ id, summary, connect, load, base }: Comparison): BenchCase {
  return {
    id,
    summary,
    measure: async () => {
      const host = await connect(PROGRAMS.ours);
      const sdk = await connect(base);
      try {
        return await ratioOf(
          { name: "host", run: () => load(host.call) },
          { name: "SDK", run: () => load(sdk.call) },
          { rounds: 31 },
        );
      } finally {
        await host.close();
        await sdk.close();
      }
    },
  };
}

/** Two cases: calls one after another, and with 64 in flight. */
function compareLoads(
  id: string,
  ends: { readonly host: string; readonly sdk: string },
  { connect, base, batches }: { connect: Connect; base: Program; batches: number },
): BenchCase[] {
  const between = `to ${ends.host} / to ${ends.sdk}`;
  const common = { connect, base };
  return [
    compare({ ...common, id, summary: `calls one after another ${between}`, load: inTurn }),
    compare({
      ...common,
      id: `${id}-64`,
      summary: `calls with 64 in flight ${between}`,
      load: atOnce(batches),
    }),
  ];
}

const modern = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
/** Without `NODE_EXTRA_CA_CERTS`: it makes every start of Node slower and so improves the ratio. */
const { NODE_EXTRA_CA_CERTS: _ignored, ...env } = process.env;

const startUp: BenchCase = {
  id: "host-start",
  summary: "start a process that serves a host on stdio, until its input ends / bare node",
  measure: () =>
    ratioOf(
      {
        name: "serve",
        run: () => void spawnSync(process.execPath, [...PROGRAMS.ours.stdio], { input: "", env }),
      },
      { name: "bare node", run: () => void spawnSync(process.execPath, ["-e", "0"], { env }) },
      { rounds: 15 },
    ),
};

const STDIO = { host: "a host on stdio", sdk: "the bare SDK server" };
const HTTP_2025 = "a host on HTTP, 2025";

export const hostCases: readonly BenchCase[] = [
  ...compareLoads("host-stdio", STDIO, { connect: overStdio, base: PROGRAMS.bare, batches: 60 }),
  ...compareLoads(
    "host-http",
    { host: HTTP_2025, sdk: "the bare SDK server with an event store" },
    { connect: overHttp({}), base: PROGRAMS.bareWithStore, batches: 8 },
  ),
  ...compareLoads(
    "host-http-no-store",
    { host: HTTP_2025, sdk: "the bare SDK server without an event store" },
    { connect: overHttp({}), base: PROGRAMS.bare, batches: 8 },
  ),
  // The 2026 revision has no resumable streams, so the SDK's handler takes no event store: there is one base only.
  ...compareLoads(
    "host-http-modern",
    { host: "a host on HTTP, 2026", sdk: "the bare SDK server (no event store exists here)" },
    { connect: overHttp(modern), base: PROGRAMS.bare, batches: 8 },
  ),
  startUp,
];
