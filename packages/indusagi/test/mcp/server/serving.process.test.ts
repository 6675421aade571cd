import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type BuiltProgram, buildProgram, verifies } from "@indus/testkit";
import { createMCPServer, MCPClient } from "indusagi/mcp";
import { afterAll, beforeAll, expect } from "vitest";
import { textOf } from "../client/text-of.ts";

let program: BuiltProgram;
beforeAll(async () => {
  program = await buildProgram(new URL("server-program.ts", import.meta.url));
});
afterAll(() => program[Symbol.dispose]());

function started(): {
  readonly child: ChildProcess;
  readonly ended: Promise<[code: number | null, lines: string]>;
} {
  const child = spawn(process.execPath, [program.path], { stdio: ["pipe", "pipe", "pipe"] });
  let lines = "";
  child.stderr.on("data", (chunk) => (lines += String(chunk)));
  child.stdout.resume();
  const ended = once(child, "close").then(([code]): [number | null, string] => [
    code as number | null,
    lines,
  ]);
  return { child, ended };
}

verifies("mcp-server:stop", "startStdio lasts until the client closes the session", async () => {
  await using client = new MCPClient({
    name: "p",
    config: { command: process.execPath, args: [program.path] },
  });
  expect(await client.connect()).toMatchObject({ serverInfo: { name: "program" }, instructions: "Echoes." });
  expect(textOf(await client.callTool("echo", { msg: "hi" }))).toBe("hi");
  await client.disconnect();
  const { child, ended } = started();
  child.stdin?.end();
  expect(await ended).toEqual([0, "the session has ended\n"]);
});

verifies("mcp-server:stop", "stop ends a session on stdio", async () => {
  const { child, ended } = started();
  const message = (id: number, method: string, params: object) =>
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  message(1, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  });
  message(2, "tools/call", { name: "stop", arguments: {} });
  expect((await ended)[1]).toBe("the session has ended\n");
});

verifies("mcp-server:stop", "stop ends HTTP, and it can be started again", async () => {
  const server = createMCPServer({
    name: "mine",
    tools: [
      { name: "ping", parameters: {}, execute: async () => ({ content: [{ type: "text", text: "pong" }] }) },
    ],
  });
  for (let round = 0; round < 2; round++) {
    const { url, port } = await server.startHttp({ port: 0 });
    const client = new MCPClient({ name: "h", config: { url } });
    await client.connect();
    expect(textOf(await client.callTool("ping"))).toBe("pong");
    await expect(server.startHttp({ port })).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
      message: expect.stringContaining(String(port)),
    });
    await client.disconnect();
    await server.stop();
    await expect(fetch(url)).rejects.toThrow();
  }
});
