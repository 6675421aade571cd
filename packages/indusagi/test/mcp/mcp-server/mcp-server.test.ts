import { verifies } from "@indus/testkit";
import { type AgentTool, createMCPServer, MCPClient, type MCPClientOptions, MCPServer } from "indusagi/mcp";
import { expect } from "vitest";
import { connectedTo } from "../in-process.ts";
import { legacyOnly } from "../legacy-only.ts";
import { textOf } from "../mcp-client/text-of.ts";

const tool = (name: string, execute: AgentTool["execute"], parameters = {}): AgentTool => ({
  name,
  label: `The ${name}`,
  description: `Does ${name}.`,
  parameters,
  execute,
});
const say = (text: string) => ({ content: [{ type: "text" as const, text }] });
const echo = tool("echo", async (_id, params) => say(String(params["msg"])), {
  type: "object",
  properties: { msg: { type: "string" } },
});
const ping = tool("ping", async () => say("pong"));

const clientOf = (server: MCPServer): MCPClientOptions => ({
  name: "s",
  config: { command: "(in this process)" },
  transport: () => connectedTo((transport) => server.connect(transport)),
});

for (const era of ["modern", "legacy"] as const) {
  const optionsFor = (server: MCPServer) =>
    era === "modern" ? clientOf(server) : legacyOnly(clientOf(server));

  verifies(
    "mcp-server:tools",
    `${era}: added, replaced and removed while a client is connected`,
    async () => {
      await using server = createMCPServer({ name: "mine", tools: [echo], description: "My tools." });
      await using client = new MCPClient(optionsFor(server));
      let changes = 0;
      client.setToolListChangedHandler(() => (changes += 1));
      expect(await client.connect()).toMatchObject({
        serverInfo: { name: "mine", version: "1.0.0" },
        instructions: "My tools.",
      });
      expect(await client.listTools()).toMatchObject([
        {
          name: "echo",
          title: "The echo",
          description: "Does echo.",
          inputSchema: { properties: { msg: {} } },
        },
      ]);
      server.addTool(ping);
      await expect.poll(() => changes, { timeout: 5000 }).toBe(1);
      expect((await client.listTools())[1]).toMatchObject({ name: "ping", inputSchema: { type: "object" } });
      expect(server.listTools()).toEqual([echo, ping]);
      expect(server.removeTool("echo")).toBe(true);
      expect(server.removeTool("echo")).toBe(false);
      await expect.poll(() => changes, { timeout: 5000 }).toBe(2);
      expect((await client.listTools()).map(({ name }) => name)).toEqual(["ping"]);
      await expect(client.callTool("echo")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
      server.addTool(tool("ping", async () => say("another")));
      expect(textOf(await client.callTool("ping"))).toBe("another");
    },
  );

  verifies("mcp-server:results", `${era}: every kind of answer, progress and an abort`, async () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
    const aborted: unknown[] = [];
    await using server = new MCPServer({
      name: "mine",
      version: "2.0.0",
      tools: [
        echo,
        tool("picture", async () => ({ content: [image], structuredContent: { width: 1 } })),
        tool("fails", async () => ({ ...say("it did not work"), isError: true })),
        tool("throws", () => Promise.reject(new Error("broken"))),
        tool("empty", async () => undefined as never),
        tool("works", async (_id, _params, _signal, onUpdate) => {
          onUpdate?.(say("half way"));
          return say("done");
        }),
        tool("hangs", async (_id, _params, signal) => {
          await new Promise((resolve) => signal?.addEventListener("abort", resolve));
          aborted.push(signal?.reason);
          return say("");
        }),
      ],
    });
    await using client = new MCPClient(optionsFor(server));
    await client.connect();
    expect(textOf(await client.callTool("echo", { msg: "hi" }))).toBe("hi");
    expect(await client.callTool("picture")).toMatchObject({
      content: [image],
      structuredContent: { width: 1 },
      isError: false,
    });
    expect(await client.callTool("fails")).toMatchObject({
      isError: true,
      content: [{ text: "it did not work" }],
    });
    expect(await client.callTool("throws")).toMatchObject({
      isError: true,
      content: [{ text: "throws failed: broken" }],
    });
    expect(await client.callTool("empty")).toMatchObject({ isError: true });
    const notes: unknown[] = [];
    await client.callTool("works", {}, { onProgress: (note) => notes.push(note) });
    expect(notes).toEqual([{ progress: 1, message: "half way" }]);
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("enough")), 20);
    await expect(client.callTool("hangs", {}, { signal: abort.signal })).rejects.toThrow("enough");
    await expect.poll(() => aborted.length).toBe(1);
  });
}

verifies("mcp-server:tools", "a tool that cannot be called is refused by name", () => {
  const server = createMCPServer({ name: "mine", tools: [] });
  expect(() => server.addTool({ name: "x", parameters: {} } as never)).toThrow(
    expect.objectContaining({ code: "CONFIG_ERROR", message: expect.stringContaining('"x"') }),
  );
  expect(() => server.addTool({} as never)).toThrow(expect.objectContaining({ code: "CONFIG_ERROR" }));
});
