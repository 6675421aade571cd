import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import type { MessageTransport } from "indusagi/interop";
import { MCPClientPool, type MCPConnectionOptions, type MCPServerStatus } from "indusagi/mcp";
import { expect } from "vitest";
import { TalkingBox } from "../../interop/host/talking-box.ts";
import { scripted } from "../../interop/kit/scripted.ts";
import { hostOptions, listingOptions, scriptedOptions } from "../kit/in-process.ts";
import { Shelf } from "../kit/shelf.ts";

const dead: MCPConnectionOptions = { name: "dead", config: { command: "no-such-program-anywhere" } };

const wrong = { name: "wrong", config: {} } as MCPConnectionOptions;

const rough = fileURLToPath(new URL("../../interop/fleet/rough-server.mjs", import.meta.url));

const byName = async (pool: MCPClientPool): Promise<Record<string, MCPServerStatus>> =>
  Object.fromEntries((await pool.getStatus()).map((status) => [status.name, status]));

verifies(
  "mcp-pool:isolation",
  "a pool with a dead server serves the others and shows why it is dead",
  async () => {
    const { command, args = [] } = scripted("crash", "--crash");
    const crash = { name: "crash", config: { command, args } };
    const said: string[] = [];
    await using pool = new MCPClientPool({
      servers: [dead, scriptedOptions("alive"), crash, hostOptions("host", new TalkingBox(), new Shelf())],
      logger: ({ serverName, level }) => void said.push(`${serverName} ${level}`),
    });
    await pool.connectAll();
    expect(await pool.getStatus()).toEqual([
      {
        name: "dead",
        connected: false,
        error: expect.stringMatching(/server "dead" .*no-such-program-anywhere/),
      },
      { name: "alive", connected: true, toolCount: 22, resourceCount: 0, promptCount: 0 },
      {
        name: "crash",
        connected: false,
        error: expect.stringContaining("cannot find the configuration file"),
      },
      { name: "host", connected: true, toolCount: 13, resourceCount: 2, promptCount: 1 },
    ]);
    expect(said.toSorted()).toEqual(["crash error", "dead error"]);
    expect(["dead", "alive", "missing"].map((name) => pool.isConnected(name))).toEqual([false, true, false]);
    expect(pool.getAllClients().map(({ serverName }) => serverName)).toEqual([
      "dead",
      "alive",
      "crash",
      "host",
    ]);
    const tools = await pool.listAllTools();
    expect(Object.entries(tools).map(([name, list]) => [name, list.length])).toEqual([
      ["dead", 0],
      ["alive", 22],
      ["crash", 0],
      ["host", 13],
    ]);
    expect((await pool.listAllResources())["host"]).toHaveLength(2);
    expect((await pool.listAllPrompts())["dead"]).toEqual([]);
    expect(await pool.getClient("alive")?.callTool("echo", { text: "hi" })).toMatchObject({ isError: false });
    await pool.disconnectAll();
    expect((await byName(pool))["alive"]).toEqual({
      name: "alive",
      connected: false,
      error: 'the client of server "alive" is not connected; call connect() first',
    });
  },
);

const supervision = { firstDelayMs: 20, maxDelayMs: 50 };

verifies("mcp-pool:supervision", "a killed server is restarted and keeps its tools", async () => {
  const { command, args = [] } = scripted("mortal");
  await using pool = new MCPClientPool({
    servers: [{ name: "mortal", config: { command, args } }, scriptedOptions("b")],
    supervision,
  });
  await pool.connectAll();
  const box = pool.toolBox();
  const version = box.descriptors();
  expect(version).toHaveLength(44);
  const client = pool.getClient("mortal");
  const echo = (): Promise<unknown> =>
    box.runner.run({ id: "1", name: "mortal_echo", input: { text: "hi" } }).then(({ output }) => output);
  for (let kills = 0; kills < 3; kills++) {
    await client?.callTool("die").catch(() => {});
    expect((await byName(pool))["mortal"]).toMatchObject({
      connected: false,
      error: expect.stringContaining("exit code 3"),
    });
    expect(await echo()).toBe("hi"); // A call waits for the restart.
    expect(client?.connected).toBe(true);
    expect(await client?.callTool("echo", { text: "direct" })).toMatchObject({ isError: false });
  }
  expect(box.descriptors()).toBe(version);
  expect(await pool.reconnect("mortal")).toBe(true);
  expect(box.descriptors()).toBe(version);
  expect(await pool.reconnect("missing")).toBe(false);
});

verifies("mcp-pool:supervision", "a disconnected server stays disconnected until connect", async () => {
  const { command, args = [] } = scripted("mortal");
  await using pool = new MCPClientPool({
    servers: [{ name: "mortal", config: { command, args } }],
    supervision,
  });
  await pool.connectAll();
  const client = pool.getClient("mortal");
  await client?.callTool("die").catch(() => {});
  await client?.disconnect();
  await new Promise((resolve) => setTimeout(resolve, 10 * supervision.maxDelayMs));
  expect(client?.connected).toBe(false);
  expect(pool.toolBox().descriptors()).toEqual([]);
  await expect(client?.callTool("echo", { text: "hi" })).rejects.toMatchObject({ code: "NOT_CONNECTED" });
  await client?.connect();
  expect(await client?.callTool("echo", { text: "hi" })).toMatchObject({ isError: false });
  await expect.poll(() => pool.toolBox().descriptors().length).toBe(22);
});

verifies("mcp-pool:supervision", "without supervision a dead server stays down until reconnect", async () => {
  const { command, args = [] } = scripted("mortal");
  await using pool = new MCPClientPool({
    servers: [{ name: "mortal", config: { command, args } }],
    supervision: false,
  });
  await pool.connectAll();
  const client = pool.getClient("mortal");
  await client?.callTool("die").catch(() => {});
  await expect(client?.callTool("echo", { text: "hi" })).rejects.toMatchObject({ code: "NOT_CONNECTED" });
  expect(await pool.reconnect("mortal")).toBe(true);
  expect(await client?.callTool("echo", { text: "hi" })).toMatchObject({ isError: false });
});

verifies(
  "mcp-pool:supervision",
  "an idle server is stopped, its status explains that, and the next call starts it",
  async () => {
    const untyped = { idleMs: 50, lazy: true };
    await using pool = new MCPClientPool({ servers: [scriptedOptions("a")], supervision: untyped });
    await pool.connectAll();
    expect(pool.toolBox().descriptors()).toHaveLength(22); // `connect` starts a server at once.
    await expect.poll(() => pool.isConnected("a")).toBe(false);
    expect(await pool.getStatus()).toEqual([
      { name: "a", connected: false, error: expect.stringMatching(/"a" .*the next call starts it/) },
    ]);
    expect(pool.toolBox().descriptors()).toHaveLength(22);
    expect(await pool.getClient("a")?.callTool("echo", { text: "hi" })).toMatchObject({ isError: false });
  },
);

verifies(
  "mcp-pool:supervision",
  "a subscription survives a server that fails again before it was renewed",
  async () => {
    const shelf = new Shelf();
    const options = hostOptions("host", new TalkingBox(), shelf);
    const links: MessageTransport[] = [];
    const lines: string[] = [];
    const transport = (): MessageTransport => {
      const link = options.transport?.() as MessageTransport;
      const index = links.push(link) - 1;
      const send = link.send.bind(link);
      link.send = async (message, more) => {
        const isRenewal = index === 1 && JSON.stringify(message.params ?? {}).includes("test://a");
        if (isRenewal) return link.close();
        return send(message, more);
      };
      return link;
    };
    await using pool = new MCPClientPool({
      servers: [{ ...options, transport }],
      supervision,
      logger: ({ level, message }) => void (level === "warning" && lines.push(message)),
    });
    await pool.connectAll();
    const client = pool.getClient("host");
    const updated: string[] = [];
    client?.setResourceUpdatedHandler(({ uri }) => void updated.push(uri));
    await client?.subscribeResource("test://a");
    await links[0]?.close();
    await expect.poll(() => links.length, { timeout: 5000 }).toBe(3);
    await expect
      .poll(() => {
        shelf.update("test://a");
        return updated.at(-1);
      })
      .toBe("test://a");
    expect(lines).toEqual([]);
  },
);

verifies(
  "mcp-pool:supervision",
  "after a restart the handlers are called and subscriptions are renewed",
  async () => {
    const shelf = new Shelf();
    const links: { close(): Promise<void> }[] = [];
    const options = hostOptions("host", new TalkingBox(), shelf);
    const transport = (): ReturnType<NonNullable<typeof options.transport>> => {
      const link = options.transport?.() as { close(): Promise<void> };
      links.push(link);
      return link as never;
    };
    await using pool = new MCPClientPool({ servers: [{ ...options, transport }], supervision });
    await pool.connectAll();
    const client = pool.getClient("host");
    const events: string[] = [];
    client?.setToolListChangedHandler(() => void events.push("tools"));
    client?.setResourceListChangedHandler(() => void events.push("resources"));
    client?.setPromptListChangedHandler(() => void events.push("prompts"));
    client?.setResourceUpdatedHandler(({ uri }) => void events.push(uri));
    await client?.subscribeResource("test://a");
    await links[0]?.close();
    await expect.poll(() => events).toEqual(["tools", "resources", "prompts"]);
    await expect
      .poll(() => {
        shelf.update("test://a");
        return events.at(-1);
      })
      .toBe("test://a");
  },
);

verifies(
  "mcp-pool:isolation",
  "a tool schema with 20,000 levels does not affect other servers, also on the second connect",
  async () => {
    let deep: object = {};
    for (let level = 0; level < 20_000; level++) deep = { properties: { a: deep } };
    const tools = [{ name: "abyss", inputSchema: { type: "object" }, outputSchema: deep }];
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      await using pool = new MCPClientPool({
        servers: [listingOptions("deep", tools), scriptedOptions("b")],
      });
      await pool.connectAll();
      await pool.connectAll();
      await pool.reload();
      expect(pool.isConnected("b")).toBe(true);
      expect(await pool.getClient("b")?.callTool("echo", { text: "hi" })).toMatchObject({ isError: false });
      expect(
        pool
          .toolBox()
          .descriptors()
          .map(({ name }) => name),
      ).toContain("b_echo");
      expect((await byName(pool))["deep"]?.connected).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  },
);

verifies(
  "mcp-pool:membership",
  "servers are added and removed, and the others keep their connection",
  async () => {
    await using pool = new MCPClientPool({ servers: [scriptedOptions("a")] });
    await pool.connectAll();
    const a = pool.getClient("a");
    expect(await pool.addServer(scriptedOptions("b"))).toBe(true);
    expect(await pool.addServer(dead)).toBe(false);
    expect(await pool.addServer(wrong)).toBe(false);
    expect(Object.keys(await byName(pool))).toEqual(["a", "b", "dead", "wrong"]);
    expect((await byName(pool))["wrong"]?.error).toBe('server "wrong" has neither a command nor a url');
    const b = pool.getClient("b");
    expect(await pool.addServer({ ...scriptedOptions("b"), timeout: 1000 })).toBe(true);
    expect(b?.connected).toBe(false);
    expect(pool.getClient("b")?.timeout).toBe(1000);
    expect(await pool.removeServer("dead")).toBe(true);
    expect(await pool.removeServer("dead")).toBe(false);
    expect(pool.getClient("a")).toBe(a);
    expect(a?.connected).toBe(true);
  },
);

verifies(
  "mcp-pool:membership",
  "a reload changes only servers that differ, and without a list reconnects all",
  async () => {
    const [a, b, c] = [scriptedOptions("a"), scriptedOptions("b"), scriptedOptions("c")];
    await using pool = new MCPClientPool({ servers: [a, b] });
    await pool.connectAll();
    const before = pool.getClient("a");
    await pool.getClient("b")?.disconnect();
    await pool.reload([a, { ...b, timeout: 5000 }, c]);
    expect(pool.getClient("a")).toBe(before);
    expect(before?.connected).toBe(true);
    expect(pool.getClient("b")?.timeout).toBe(5000);
    await pool.reload([a, wrong, c]);
    await pool.reload([a, wrong, c]);
    expect((await byName(pool))["wrong"]).toMatchObject({ connected: false, error: expect.any(String) });
    await pool.reload([a, c]);
    expect(Object.values(await byName(pool)).map(({ name, connected }) => [name, connected])).toEqual([
      ["a", true],
      ["c", true],
    ]);
    await before?.disconnect();
    await pool.reload();
    expect(await pool.getStatus()).toMatchObject([{ toolCount: 22 }, { toolCount: 22 }]);
  },
);

verifies("health:hang", "a pool restarts a server whose calls pass the timeouts of its client", async () => {
  await using pool = new MCPClientPool({
    servers: [{ name: "s", config: { command: process.execPath, args: [rough] } }],
    supervision: { firstDelayMs: 10, maxDelayMs: 20, health: { probeMs: 100 } },
  });
  await pool.connectAll();
  const client = pool.getClient("s");
  for (const tool of ["freeze", "echo"])
    await expect(client?.callTool(tool, {}, { timeout: 150 })).rejects.toMatchObject({ code: "TIMEOUT" });
  await expect.poll(() => pool.isConnected("s"), { timeout: 10_000, interval: 5 }).toBe(false);
  await expect.poll(() => pool.isConnected("s"), { timeout: 10_000, interval: 5 }).toBe(true);
  expect(await client?.callTool("echo", { text: "back" })).toMatchObject({ isError: false });
});
