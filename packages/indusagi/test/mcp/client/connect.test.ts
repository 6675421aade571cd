import { verifies } from "@indus/testkit";
import type { MessageTransport } from "indusagi/interop";
import { isSessionError, MCPClient, MCPError } from "indusagi/mcp";
import { expect } from "vitest";
import { inProcess } from "../../interop/kit/scripted.ts";
import { scriptedOptions } from "../kit/in-process.ts";
import { textOf } from "./text-of.ts";

verifies(
  "mcp-client:connect",
  "after disconnect and connect it lists again on a new connection",
  async () => {
    const client = new MCPClient(scriptedOptions("s"));
    expect(client.connected).toBe(false);
    expect(await client.connect()).toMatchObject({
      serverInfo: { name: "scripted" },
      capabilities: { tools: {} },
      instructions: "Be kind.",
    });
    expect(client.connected).toBe(true);
    expect(client.serverInfo?.protocolVersion).toBe("2026-07-28");
    expect(await client.listTools()).toHaveLength(22);
    await client.disconnect();
    expect(client.connected).toBe(false);
    expect(client.serverInfo).toBeUndefined();
    await client.disconnect();
    await client.connect();
    expect(await client.listTools()).toHaveLength(22);
    expect(client.state).toMatchObject({ connected: true, serverName: "s", resources: [], prompts: [] });
    expect(client.state.tools).toHaveLength(22);
    await client.disconnect();
  },
);

verifies(
  "mcp-client:connect",
  "concurrent callers share one connection, and later callers get the same",
  async () => {
    let opened = 0;
    const transport = (): MessageTransport => {
      opened += 1;
      return inProcess();
    };
    await using client = new MCPClient({ ...scriptedOptions("s"), transport });
    await Promise.all([client.connect(), client.connect(), client.connect()]);
    await client.connect();
    expect(opened).toBe(1);
    await client.disconnect();
    await client.connect();
    expect(opened).toBe(2);
  },
);

verifies("mcp-client:connect", "a timeout longer than timers support works", async () => {
  const timeout = 2 ** 40;
  await using client = new MCPClient({ ...scriptedOptions("s"), timeout });
  await client.connect();
  expect(await client.listTools()).toHaveLength(22);
  expect(await client.listResources()).toEqual([]);
  expect(textOf(await client.callTool("echo", { text: "hi" }))).toBe("hi");
  expect(textOf(await client.callTool("slow", { ms: 50 }, { timeout }))).toBe("done");
});

verifies("mcp-client:connect", "an abort rejects its caller and leaves the attempt running", async () => {
  await using client = new MCPClient(scriptedOptions("s"));
  const abort = new AbortController();
  const given = client.connect({ signal: abort.signal });
  abort.abort(new Error("not now"));
  await expect(given).rejects.toThrow("not now");
  await client.connect();
  expect(client.connected).toBe(true);
});

verifies("mcp-client:connect", "disconnecting during a connect ends the attempt", async () => {
  const client = new MCPClient(scriptedOptions("s", { mute: true }));
  const connecting = client.connect().catch((thrown: unknown) => thrown);
  await client.disconnect();
  const error = await connecting;
  expect(error).toBeInstanceOf(MCPError);
  expect(isSessionError(error)).toBe(true);
  expect(client.connected).toBe(false);
});

verifies(
  "mcp-client:connect",
  "disconnecting rejects the attempt at once, also if the transport is slow to close",
  async () => {
    const transport = (): MessageTransport => {
      const link = inProcess({ mute: true });
      const close = link.close.bind(link);
      link.close = async () => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        await close();
      };
      return link;
    };
    const client = new MCPClient({ ...scriptedOptions("s"), transport });
    const connecting = client.connect().catch((thrown: unknown) => thrown);
    let isDisconnected = false;
    const disconnecting = client.disconnect().then(() => {
      isDisconnected = true;
    });
    expect(await connecting).toMatchObject({ name: "MCPError", code: "NOT_CONNECTED", serverName: "s" });
    expect(isDisconnected).toBe(false);
    await disconnecting;
  },
);

verifies("mcp-client:connect", "a request does not wait for a connect that is under way", async () => {
  await using client = new MCPClient(scriptedOptions("s"));
  const connecting = client.connect();
  await expect(client.callTool("echo", { text: "hi" })).rejects.toMatchObject({ code: "NOT_CONNECTED" });
  await connecting;
  expect(textOf(await client.callTool("echo", { text: "hi" }))).toBe("hi");
});

verifies(
  "mcp-client:connect",
  "a silent server is a TIMEOUT and a missing program a CONNECTION_FAILED",
  async () => {
    const silent = new MCPClient({ ...scriptedOptions("quiet", { mute: true }), timeout: 200 });
    await expect(silent.connect()).rejects.toMatchObject({ code: "TIMEOUT", serverName: "quiet" });
    const missing = new MCPClient({ name: "gone", config: { command: "no-such-program-anywhere" } });
    await expect(missing.connect()).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
      serverName: "gone",
      message: expect.stringContaining('"gone"'),
    });
    await expect(missing.connect()).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
  },
);
