import { verifies } from "@indus/testkit";
import type { MessageTransport } from "indusagi/interop";
import {
  type AgentTool,
  type AgentToolMeta,
  createMCPAgentToolFactory,
  createMCPToolsMap,
  createMCPToolsRecord,
  MCPClient,
  MCPClientPool,
  type MCPToolCallResult,
  type MCPToolClient,
  type MCPToolDefinition,
  registerMCPToolsInRegistry,
} from "indusagi/mcp";
import { expect } from "vitest";
import { BLOCKS } from "../../../../../test/servers/server.mjs";
import { inProcess } from "../../interop/kit/scripted.ts";
import { scriptedOptions } from "../kit/in-process.ts";

const definition: MCPToolDefinition = {
  name: "count",
  description: "Counts.",
  inputSchema: { type: "object", properties: { from: { type: "integer" } }, required: ["from"] },
};

/** A client that answers every call in one way: all that a minted tool needs. */
function answering(
  result: Partial<MCPToolCallResult> | (() => Promise<never>),
  isConnected = true,
): MCPToolClient {
  return {
    serverName: "srv",
    connected: isConnected,
    callTool: async () =>
      typeof result === "function" ? result() : { content: [], isError: false, ...result },
  };
}

const minted = (client: MCPToolClient, options = {}): AgentTool =>
  createMCPAgentToolFactory(definition, client, options)();

verifies("mcp-factory:mint", "a minted tool has its name, label, description and parameters", () => {
  expect(minted(answering({}))).toMatchObject({
    name: "srv_count",
    label: "count",
    description: "[srv] Counts.",
    category: "mcp",
    parameters: {
      type: "object",
      properties: { from: { type: "number" } },
      required: ["from"],
      additionalProperties: true,
    },
  });
});

verifies("mcp-factory:mint", "every block is returned, and the details hold the whole result", async () => {
  await using client = new MCPClient(scriptedOptions("srv"));
  await client.connect();
  const tools = createMCPToolsRecord(await client.listTools(), client);
  expect(await tools["srv_blocks"]?.execute("1", {})).toEqual({
    content: BLOCKS.content,
    details: {
      content: BLOCKS.content,
      isError: false,
      structuredContent: BLOCKS["structuredContent"],
      _meta: BLOCKS["_meta"],
    },
    isError: false,
    structuredContent: BLOCKS["structuredContent"],
  });
  const updates: unknown[] = [];
  await tools["srv_slow"]?.execute("2", { ms: 40 }, undefined, ({ content }) => updates.push(content[0]));
  expect(updates[0]).toEqual({ type: "text", text: "1/100 step 1" });
});

verifies(
  "mcp-factory:mint",
  "long text is cut, and structured content is shown if there is no text",
  async () => {
    const text = Array.from({ length: 50_000 }, (_, line) => `line ${line}`).join("\n");
    const long = answering({ content: [{ type: "text", text }] });
    const shown = async (tool: AgentTool): Promise<string> =>
      ((await tool.execute("1", {})).content[0] as { readonly text: string }).text;
    const standard = await shown(minted(long));
    expect(standard.length).toBeGreaterThan(60_000);
    expect(standard.length).toBeLessThan(66_000);
    expect(await shown(minted(long, { maxBytes: 100 }))).toMatch(/bytes omitted/);
    const preview = await shown(minted(long, { preview: true }));
    expect(preview).toBe("line 0\nline 1\nline 2\nline 3…");
    expect((await minted(long).execute("1", {})).details).toMatchObject({ content: [{ text }] });
    expect(await shown(minted(answering({ structuredContent: { sum: 5 } })))).toBe('{"sum":5}');
  },
);

verifies(
  "mcp-factory:failures",
  "a lost connection, an error and an abort give an error result",
  async () => {
    const whose = { serverName: "srv", toolName: "count" };
    const off = await minted(answering({}, false)).execute("1", {});
    expect(off).toEqual({
      content: [
        {
          type: "text",
          text: 'MCP Error: the client of server "srv" is not connected; call connect() first',
        },
      ],
      details: { error: expect.stringContaining("not connected"), code: "NOT_CONNECTED", ...whose },
      isError: true,
    });
    const broken = await minted(answering(() => Promise.reject(new Error("broken")))).execute("1", {});
    expect(broken).toMatchObject({ isError: true, details: { code: "SERVER_ERROR", ...whose } });
    const reason = new Error("enough");
    const early = await minted(answering({})).execute("1", {}, AbortSignal.abort(reason));
    const late = await minted(answering(() => Promise.reject(reason))).execute(
      "1",
      {},
      AbortSignal.abort(reason),
    );
    for (const aborted of [early, late])
      expect(aborted).toEqual({
        content: [{ type: "text", text: 'tool "count" of server "srv" was aborted: enough' }],
        details: { error: expect.stringContaining("aborted"), ...whose },
        isError: true,
      });
    await using client = new MCPClient(scriptedOptions("s"));
    await client.connect();
    const unknown = createMCPAgentToolFactory({ ...definition, name: "nonesuch" }, client)();
    expect(await unknown.execute("1", {})).toMatchObject({ details: { code: "TOOL_NOT_FOUND" } });
  },
);

verifies("mcp-factory:failures", "a minted tool of a pool waits for a server that is restarted", async () => {
  const links: MessageTransport[] = [];
  const transport = (): MessageTransport => {
    const link = inProcess();
    links.push(link);
    return link;
  };
  await using pool = new MCPClientPool({
    servers: [{ ...scriptedOptions("srv"), transport }],
    supervision: { firstDelayMs: 20 },
  });
  await pool.connectAll();
  const client = pool.getClient("srv") as MCPClient;
  const echo = createMCPAgentToolFactory({ ...definition, name: "echo" }, client)();
  await links[0]?.close();
  expect(client.connected).toBe(false);
  expect(await echo.execute("1", { text: "hi" })).toMatchObject({
    content: [{ text: "hi" }],
    isError: false,
  });
});

verifies(
  "mcp-factory:registry",
  "any object with a register method gets the tools; maps and records use their names",
  async () => {
    await using client = new MCPClient(scriptedOptions("srv"));
    await client.connect();
    const registered: [AgentToolMeta, AgentTool][] = [];
    const registry = {
      register: (meta: AgentToolMeta, make: () => AgentTool) => registered.push([meta, make()]),
    };
    expect(await registerMCPToolsInRegistry(registry, client)).toBe(22);
    expect(registered[0]?.[0]).toEqual({
      name: "srv_echo",
      label: "echo",
      description: "[srv] The echo tool.",
      category: "mcp",
    });
    expect(await registered[0]?.[1].execute("1", { text: "hi" })).toMatchObject({
      content: [{ text: "hi" }],
    });
    expect(await registerMCPToolsInRegistry(registry, client, [definition])).toBe(1);
    const tools = await client.listTools();
    expect([...createMCPToolsMap(tools, client).keys()]).toEqual(
      Object.keys(createMCPToolsRecord(tools, client)),
    );
  },
);
