import { verifies } from "@indus/testkit";
import { createProviderHost } from "indusagi/interop";
import { MCPClient, type MCPClientOptions, MCPClientPool, toOpenAITools } from "indusagi/mcp";
import type { ToolBoxChange } from "indusagi/runtime";
import { expect } from "vitest";
import { BLOCKS } from "../../../../../test/servers/server.mjs";
import { TalkingBox } from "../../interop/host/talking-box.ts";
import { inProcess } from "../../interop/kit/scripted.ts";
import { connectedTo, hostOptions, scriptedOptions } from "../kit/in-process.ts";

verifies("mcp-pool:box", "names are injective, calls reach their tool, failures are outcomes", async () => {
  await using pool = new MCPClientPool({ servers: [scriptedOptions("a"), scriptedOptions("b_c")] });
  const box = pool.toolBox();
  expect(box.descriptors()).toEqual([]);
  await pool.connectAll();
  expect(pool.toolBox()).toBe(box);
  const names = box.descriptors().map(({ name }) => name);
  expect(new Set(names).size).toBe(44);
  expect(names).toContain("a_echo");
  const hashed = box.descriptors().find(({ origin }) => origin?.server === "b_c" && origin.tool === "echo");
  expect(hashed?.name).toMatch(/^b_c_echo_[0-9a-f]{8}$/);
  expect(hashed?.definition).toMatchObject({ name: "echo", "x-unknown": { kept: true } });
  const run = (name: string, input: unknown = {}, signal?: AbortSignal) =>
    box.runner.run({ id: "1", name, input }, signal);
  expect(await run(hashed?.name ?? "", { text: "hi" })).toMatchObject({
    id: "1",
    output: "hi",
    isError: false,
  });
  const blocks = await run("a_blocks");
  expect(blocks.wire?.value()).toMatchObject({ ...BLOCKS });
  expect(blocks.result.structured).toEqual(BLOCKS["structuredContent"]);
  expect(await run("a_fail")).toMatchObject({ output: "it went wrong", isError: true });
  expect(await run("missing")).toMatchObject({ fault: { reason: "unknown_tool" } });
  expect(await run("a_refuse")).toMatchObject({ isError: true, fault: { rpc: { code: -32042 } } });
  expect(await run("a_echo", {}, AbortSignal.abort())).toMatchObject({
    fault: { reason: "aborted", retrySafe: true },
  });
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 20);
  expect(await run("a_silent", {}, abort.signal)).toMatchObject({
    fault: { reason: "aborted", retrySafe: false },
  });
});

verifies("mcp-pool:box", "it reports changes of a server and of the pool as differences", async () => {
  const talking = new TalkingBox();
  await using pool = new MCPClientPool({ servers: [scriptedOptions("a"), hostOptions("host", talking)] });
  await pool.connectAll();
  const box = pool.toolBox();
  const changes: ToolBoxChange[] = [];
  box.onChange((change) => changes.push(change));
  const version = box.descriptors();
  await pool.getStatus();
  expect(box.descriptors()).toBe(version);
  talking.add("late");
  await expect.poll(() => changes.length, { timeout: 5000 }).toBe(1);
  expect(changes[0]).toMatchObject({ added: [{ name: "host_late" }], changed: [], removed: [] });
  await pool.removeServer("a");
  expect(changes[1]?.removed).toHaveLength(22);
  expect(box.descriptors()).toHaveLength(14);
});

verifies(
  "mcp-pool:box",
  "adapters take the pool, and a host publishes it with its callers' answers",
  async () => {
    const talking = new TalkingBox();
    await using pool = new MCPClientPool({ servers: [hostOptions("host", talking)] });
    await pool.connectAll();
    const { tools, dispatch } = toOpenAITools(pool);
    expect(tools.map((tool) => tool.function.name)).toContain("host_echo");
    expect(await dispatch({ id: "c1", function: { name: "host_echo", arguments: '{"a":1}' } })).toEqual({
      role: "tool",
      tool_call_id: "c1",
      content: '{"a":1}',
    });
    const published = createProviderHost(pool.toolBox());
    await using client = new MCPClient({
      name: "outer",
      config: { command: "(in this process)" },
      transport: () => connectedTo((transport) => published.connect(transport)),
      elicitation: async () => ({ action: "accept", content: { name: "Ada" } }),
    });
    await client.connect();
    expect(JSON.stringify(await client.callTool("host_asks"))).toContain("Ada");
  },
);

/** A server that connects and never answers tools/list. */
const unlisted = (name: string, timeout: number): MCPClientOptions => ({
  ...scriptedOptions(name),
  timeout,
  transport: () => {
    const transport = inProcess();
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      if (message.method !== "tools/list") await send(message, options);
    };
    return transport;
  },
});

verifies("mcp-pool:box", "a server that does not list its tools does not delay the others", async () => {
  await using pool = new MCPClientPool({ servers: [scriptedOptions("a")] });
  await pool.connectAll();
  const adding = [pool.addServer(unlisted("mute", 15_000)), pool.addServer(scriptedOptions("b"))];
  await expect.poll(() => pool.toolBox().descriptors().length, { timeout: 10_000 }).toBe(44);
  await pool.removeServer("mute");
  expect(await Promise.all(adding)).toEqual([true, true]);
});

verifies(
  "mcp-pool:isolation",
  "a server that does not list its tools has an error and no count in its status",
  async () => {
    await using pool = new MCPClientPool({ servers: [scriptedOptions("a")] });
    await pool.connectAll(); // What has to be loaded once is loaded by now.
    expect(await pool.addServer(unlisted("mute", 1000))).toBe(true);
    expect((await pool.getStatus())[1]).toEqual({
      name: "mute",
      connected: true,
      resourceCount: 0,
      promptCount: 0,
      error: expect.stringContaining('"mute"'),
    });
  },
);

verifies("mcp-pool:box", "a call to a server that was disconnected did not run", async () => {
  await using pool = new MCPClientPool({ servers: [scriptedOptions("a")] });
  await pool.connectAll();
  const box = pool.toolBox();
  const gone = pool.getClient("a")?.disconnect();
  const call = { id: "1", name: "a_echo", input: {} };
  const fault = { reason: "unknown_tool", retrySafe: true };
  expect((await box.runner.run(call)).fault).toMatchObject(fault);
  await gone;
  expect((await box.runner.run(call)).fault).toMatchObject(fault);
});
