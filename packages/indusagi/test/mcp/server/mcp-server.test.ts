import { verifies } from "@indus/testkit";
import { type AgentTool, createMCPServer, MCPClient, type MCPClientOptions, MCPServer } from "indusagi/mcp";
import { expect } from "vitest";
import { textOf } from "../client/text-of.ts";
import { connectedTo } from "../kit/in-process.ts";
import { legacyOnly } from "../kit/legacy-only.ts";

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

const SHAPE = {
  properties: {
    text: { type: "string" },
    count: { type: "integer", minimum: 1 },
    mode: { enum: ["loud", "soft"] },
    tags: { type: "array", items: { type: "string" } },
    who: { type: "object", properties: { name: { type: ["string", "null"] } }, required: ["name"] },
  },
  required: ["text"],
  additionalProperties: false,
};

verifies(
  "mcp-server:arguments",
  "the error names the argument that does not fit, and the tool is not run",
  async () => {
    let runs = 0;
    const shout = tool(
      "shout",
      async () => {
        runs += 1;
        return say("!");
      },
      SHAPE,
    );
    await using server = new MCPServer({ name: "mine", tools: [shout] });
    await using client = new MCPClient(clientOf(server));
    await client.connect();
    const long = "x".repeat(500);
    for (const [args, message] of [
      [{}, '"text" is missing'],
      [{ text: 5 }, '"text" must be a string, got 5'],
      [{ text: null }, '"text" must be a string, got null'],
      [{ text: "a", count: "5" }, '"count" must be a whole number, got "5"'],
      [{ text: "a", count: 1.5 }, '"count" must be a whole number, got 1.5'],
      [{ text: "a", loud: true }, '"loud" is not known; known: text, count, mode, tags, who'],
      [{ text: "a", mode: "shrill" }, '"mode" must be one of "loud", "soft"'],
      [{ text: "a", tags: ["a", {}] }, '"tags[1]" must be a string, got an object'],
      [{ text: "a", who: {} }, '"who.name" is missing'],
      [{ text: "a", who: { name: [] } }, '"who.name" must be a string or null, got an array'],
      [{ text: "a", count: 0 }, '"count" must be at least 1, got 0'],
      [{ text: "a", tags: long }, `"tags" must be an array, got "${"x".repeat(80)}…"`],
    ] as const)
      expect(await client.callTool("shout", args)).toMatchObject({
        isError: true,
        content: [{ type: "text", text: `shout: arguments do not fit: ${message}` }],
      });
    expect(runs).toBe(0);
    const fitting = { text: "a", count: 1, mode: "soft", tags: [], who: { name: null, more: 1 } };
    expect(textOf(await client.callTool("shout", fitting))).toBe("!");
    expect(runs).toBe(1);
  },
);

verifies("mcp-server:arguments", "a list of 20,000 items is checked quickly", async () => {
  const items = { type: "object", properties: { at: { type: "integer" } } };
  const list = { type: "array", uniqueItems: true, items };
  const count = tool("count", async () => say("counted"), { properties: { list } });
  await using server = new MCPServer({ name: "mine", tools: [count] });
  await using client = new MCPClient(clientOf(server));
  await client.connect();
  const long = Array.from({ length: 20_000 }, (_, at) => ({ at }));
  const startMs = performance.now();
  expect(textOf(await client.callTool("count", { list: long }))).toBe("counted");
  expect(performance.now() - startMs).toBeLessThan(5000);
});

verifies("mcp-server:arguments", "with an unusable schema the arguments are not checked", async () => {
  const astray = [{ $ref: "#/$defs/nowhere" }, { $schema: "https://example.test/of-my-own" }];
  const tools = astray.map((a, at) => tool(`t${at}`, async () => say("ran"), { ...a, required: ["b"] }));
  await using server = new MCPServer({ name: "mine", tools });
  await using client = new MCPClient(clientOf(server));
  await client.connect();
  for (const { name } of tools) expect(textOf(await client.callTool(name, { a: 1 }))).toBe("ran");
});

verifies("mcp-server:tools", "a tool without a name or execute function is refused", () => {
  const server = createMCPServer({ name: "mine", tools: [] });
  expect(() => server.addTool({ name: "x", parameters: {} } as never)).toThrow(
    expect.objectContaining({ code: "CONFIG_ERROR", message: expect.stringContaining('"x"') }),
  );
  expect(() => server.addTool({} as never)).toThrow(expect.objectContaining({ code: "CONFIG_ERROR" }));
});

verifies("mcp-server:stop", "stopping during a start ends it, and the start rejects", async () => {
  const server = createMCPServer({ name: "mine", tools: [echo] });
  const starting = server.startHttp().catch((thrown: unknown) => thrown);
  await server.stop();
  expect(await starting).toMatchObject({ code: "SERVER_ERROR", message: expect.stringContaining("stopped") });
  const { url } = await server.startHttp();
  await expect(fetch(url)).resolves.toBeInstanceOf(Response);
  await server.stop();
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});
