import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type BuiltProgram, buildProgram, type TempDir, tempDir, verifiesTogether } from "@indus/testkit";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect } from "vitest";

const NATIVE = ["read", "ls", "grep", "find", "websearch", "webfetch", "todo_read"];
const require = createRequire(import.meta.url);

let dir: TempDir;
let program: BuiltProgram;
let listener: ChildProcess;
let url: string;

beforeAll(async () => {
  dir = await tempDir();
  await writeFile(dir.at("hello.txt"), "hello from a file\n");
  program = await buildProgram(new URL("host-program.ts", import.meta.url));
  listener = spawn(process.execPath, [program.path, "http", dir.path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ready = once(listener.stdout as NodeJS.ReadableStream, "data");
  const died = once(listener, "exit").then(() => Promise.reject(new Error("the host did not start")));
  died.catch(() => {});
  const [line] = (await Promise.race([ready, died])) as [Buffer];
  url = line.toString().trim();
});

afterAll(async () => {
  if (listener.exitCode === null) {
    listener.kill("SIGTERM");
    await once(listener, "exit");
  }
  program[Symbol.dispose]();
  await dir[Symbol.asyncDispose]();
});

/** The bin script of an installed package. */
function binOf(name: string, script: string): string {
  return join(dirname(require.resolve(`${name}/package.json`)), script);
}

const NEGOTIATIONS = {
  legacy: {},
  auto: { versionNegotiation: { mode: "auto" as const } },
  pinned: { versionNegotiation: { mode: { pin: "2026-07-28" } } },
};

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

async function expectNativeTools(client: AnyClient): Promise<void> {
  try {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).sort()).toEqual([...NATIVE].sort());
    const read = await client.callTool({ name: "read", arguments: { path: "hello.txt" } });
    expect(JSON.stringify(read)).toContain("hello from a file");
    const missing = await client.callTool({ name: "read", arguments: { path: "nowhere.txt" } });
    expect(missing).toMatchObject({ isError: true });
  } finally {
    await client.close();
  }
}

for (const [name, negotiation] of Object.entries(NEGOTIATIONS)) {
  verifiesTogether("host:real-clients", `the official client, ${name}, over HTTP and stdio`, async () => {
    const overHttp = new Client({ name: "v2", version: "1.0.0" }, negotiation);
    await overHttp.connect(new StreamableHTTPClientTransport(new URL(url)));
    await expectNativeTools(overHttp);
    const overStdio = new Client({ name: "v2", version: "1.0.0" }, negotiation);
    await overStdio.connect(
      new StdioClientTransport({ command: process.execPath, args: [program.path, "stdio", dir.path] }),
    );
    await expectNativeTools(overStdio);
  });
}

verifiesTogether("host:real-clients", "the first generation's client over HTTP and stdio", async () => {
  const overHttp = new FirstClient({ name: "v1", version: "1.0.0" });
  // Its types are older than `exactOptionalPropertyTypes`.
  await overHttp.connect(new FirstHttp(new URL(url)) as never);
  await expectNativeTools(overHttp as AnyClient);
  const overStdio = new FirstClient({ name: "v1", version: "1.0.0" });
  await overStdio.connect(
    new FirstStdio({ command: process.execPath, args: [program.path, "stdio", dir.path] }) as never,
  );
  await expectNativeTools(overStdio as AnyClient);
});

const run = promisify(execFile);

verifiesTogether("host:real-clients", "the Inspector's command line over HTTP and stdio", async () => {
  const inspector = binOf("@modelcontextprotocol/inspector-cli", "build/cli.js");
  const ask = async (target: readonly string[], ...method: readonly string[]): Promise<string> =>
    (await run(process.execPath, [inspector, "--cli", ...target, "--method", ...method])).stdout;
  // Each start of it takes seconds. A call over either transport lists the tools first.
  const call = ["tools/call", "--tool-name", "read", "--tool-arg", "path=hello.txt"];
  const [listed, ...called] = await Promise.all([
    ask([url, "--transport", "http"], "tools/list"),
    ask([url, "--transport", "http"], ...call),
    ask([process.execPath, program.path, "stdio", dir.path], ...call),
  ]);
  const { tools } = JSON.parse(listed) as { tools: { name: string }[] };
  expect(tools.map((tool) => tool.name).sort()).toEqual([...NATIVE].sort());
  for (const answer of called) expect(answer).toContain("hello from a file");
});

verifiesTogether("host:real-clients", "mcp-remote in front of the HTTP host", async () => {
  const client = new Client({ name: "behind-mcp-remote", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [binOf("mcp-remote", "dist/proxy.js"), url, "--allow-http", "--transport", "http-only"],
      env: { MCP_REMOTE_CONFIG_DIR: dir.at("mcp-remote"), HOME: dir.path, PATH: process.env["PATH"] ?? "" },
      stderr: "ignore",
    }),
  );
  await expectNativeTools(client);
});
