import { verifies } from "@indus/testkit";
import { isMCPError, isSessionError, MCPClient, type MCPError } from "indusagi/mcp";
import { expect } from "vitest";
import { serveHttp } from "../../../../../test/servers/server.mjs";
import { scripted } from "../../interop/kit/scripted.ts";
import { scriptedOptions } from "../kit/in-process.ts";

async function errorOf(failing: Promise<unknown>): Promise<MCPError> {
  const thrown = await failing.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isMCPError(thrown)) throw new Error(`expected an MCPError, got ${String(thrown)}`);
  return thrown;
}

verifies(
  "mcp-client:errors",
  "before connect every method rejects with NOT_CONNECTED and tells what to do",
  async () => {
    const client = new MCPClient(scriptedOptions("s"));
    const attempts = [
      client.listTools(),
      client.callTool("echo"),
      client.listResources(),
      client.listResourceTemplates(),
      client.readResource("a://b"),
      client.subscribeResource("a://b"),
      client.unsubscribeResource("a://b"),
      client.listPrompts(),
      client.getPrompt("p"),
      client.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }),
      client.setLoggingLevel("error"),
    ];
    for (const attempt of attempts) {
      const error = await errorOf(attempt);
      expect(error).toMatchObject({ code: "NOT_CONNECTED", serverName: "s" });
      expect(error.message).toBe('the client of server "s" is not connected; call connect() first');
    }
  },
);

verifies(
  "mcp-client:errors",
  "an unknown tool, a refused call and a missing capability have their codes",
  async () => {
    await using client = new MCPClient(scriptedOptions("s"));
    await client.connect();
    expect(await errorOf(client.callTool("nonesuch"))).toMatchObject({
      code: "TOOL_NOT_FOUND",
      serverName: "s",
      toolName: "nonesuch",
      message: 'there is no tool "nonesuch" on server "s"; listTools() returns the existing ones',
    });
    expect(await errorOf(client.callTool("refuse"))).toMatchObject({
      code: "SERVER_ERROR",
      toolName: "refuse",
      details: { rpc: { code: -32042, data: { url: "https://example.test/" } } },
    });
    expect(await errorOf(client.callTool("nothing"))).toMatchObject({
      code: "PROTOCOL_ERROR",
      toolName: "nothing",
    });
    expect(await client.listResources()).toEqual([]);
    expect(await client.listPrompts()).toEqual([]);
    for (const [attempt, capability] of [
      [client.readResource("a://b"), "resources"],
      [client.subscribeResource("a://b"), "resources.subscribe"],
      [client.getPrompt("p"), "prompts"],
      [
        client.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }),
        "completions",
      ],
    ] as const) {
      const error = await errorOf(attempt);
      expect(error).toMatchObject({ code: "PROTOCOL_ERROR", serverName: "s", details: { capability } });
      expect(error.message).toContain(`"${capability}"`);
    }
  },
);

verifies(
  "mcp-client:errors",
  "a server that dies during a call fails that call and the next ones",
  async () => {
    const { command, args = [] } = scripted("mortal");
    const lines: string[] = [];
    await using client = new MCPClient({
      name: "mortal",
      config: { command, args },
      logger: ({ level, message }) => void lines.push(`${level} ${message}`),
    });
    await client.connect();
    expect(await errorOf(client.callTool("die"))).toMatchObject({
      code: "TRANSPORT_ERROR",
      serverName: "mortal",
      toolName: "die",
      details: { exit: { code: 3 }, stderr: expect.stringContaining("about to die") },
    });
    expect(client.connected).toBe(false);
    const after = await errorOf(client.callTool("echo"));
    expect(isSessionError(after)).toBe(true);
    expect(after.message).toMatch(/server "mortal" is not connected: .*; call connect\(\) again/);
    expect(lines).toEqual([expect.stringMatching(/^error .*"mortal"/)]);
    await client.connect();
    expect(await client.listTools()).toHaveLength(22);
  },
);

verifies("mcp-client:errors", "a lost session is a SESSION_ERROR, and connecting again helps", async () => {
  const server = await serveHttp({ era: "legacy" });
  await using client = new MCPClient({ name: "h", config: { url: server.url } });
  await client.connect();
  server.forgetSessions();
  const error = await errorOf(client.callTool("echo", { text: "hi" }));
  expect(error.code).toBe("SESSION_ERROR");
  expect(isSessionError(error)).toBe(true);
  await client.connect();
  expect(await client.callTool("echo", { text: "hi" })).toMatchObject({ isError: false });
  await client.disconnect();
  await server.close();
});

verifies("mcp-client:errors", "unusable options are a CONFIG_ERROR at connect", async () => {
  const wrong = [{}, { command: "" }, { url: "nowhere" }, undefined, "npx"];
  for (const config of wrong) {
    const client = new MCPClient({ name: "s", config } as never);
    expect(await errorOf(client.connect())).toMatchObject({
      code: "CONFIG_ERROR",
      message: expect.stringContaining('server "s"'),
    });
  }
  expect((await errorOf(new MCPClient({ config: { command: "x" } } as never).connect())).code).toBe(
    "CONFIG_ERROR",
  );
  const wrongForm = { name: "s", config: { command: "x", env: { A: {} } } } as never;
  expect(await errorOf(new MCPClient(wrongForm).connect())).toMatchObject({
    code: "CONFIG_ERROR",
    message: 'server "s" is not started: "env.A" is an object and must be a string',
  });
  const roots = [{ uri: "https://example.test/" }];
  expect(() => new MCPClient({ ...scriptedOptions("s"), roots })).toThrow(
    expect.objectContaining({ code: "INVALID_PARAMETERS", serverName: "s" }),
  );
});
