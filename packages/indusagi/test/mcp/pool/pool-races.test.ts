import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifies } from "@indus/testkit";
import type { MessageTransport } from "indusagi/interop";
import { MCPClientPool, type MCPConnectionOptions } from "indusagi/mcp";
import { expect } from "vitest";
import { inProcess, isAlive, scripted } from "../../interop/kit/scripted.ts";
import { scriptedOptions } from "../kit/in-process.ts";

const supervision = { firstDelayMs: 20, maxDelayMs: 50 };

/** Options whose transports are counted while they are open, and close only after `closeMs`. */
function counted(
  name: string,
  closeMs = 0,
): {
  readonly options: MCPConnectionOptions;
  readonly counts: { open: number; most: number; started: number };
} {
  const counts = { open: 0, most: 0, started: 0 };
  const transport = (): MessageTransport => {
    const link = inProcess();
    const start = link.start.bind(link);
    const close = link.close.bind(link);
    link.start = async () => {
      counts.started++;
      counts.open++;
      counts.most = Math.max(counts.most, counts.open);
      await start();
    };
    let isClosed = false;
    link.close = async () => {
      await new Promise((resolve) => setTimeout(resolve, closeMs));
      await close();
      if (!isClosed) counts.open--;
      isClosed = true;
    };
    return link;
  };
  const options: MCPConnectionOptions = { ...scriptedOptions(name), transport };
  return { options, counts };
}

async function unhandledDuring(work: () => Promise<void>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 50));
  } finally {
    process.off("unhandledRejection", note);
  }
  return unhandled;
}

verifies(
  "mcp-pool:races",
  "of servers added at the same time under one name only the last one is connected",
  async () => {
    const [first, second, third] = [counted("a", 50), counted("a", 50), counted("a", 50)];
    await using pool = new MCPClientPool({ servers: [] });
    const added = await Promise.all([
      pool.addServer(first.options),
      pool.addServer(second.options),
      pool.addServer(third.options),
    ]);
    expect(added).toEqual([false, false, true]);
    expect([first.counts.open, second.counts.open, third.counts.open]).toEqual([0, 0, 1]);
    expect(pool.getAllClients()).toHaveLength(1);
    expect(pool.toolBox().descriptors()).toHaveLength(22);
    expect(await pool.getClient("a")?.callTool("echo", { text: "hi" })).toMatchObject({ isError: false });
    await pool.disconnectAll();
    expect(third.counts.open).toBe(0);
  },
);

verifies("mcp-pool:races", "a replaced server has ended before its successor starts", async () => {
  const { options, counts } = counted("a", 50);
  await using pool = new MCPClientPool({ servers: [] });
  await pool.addServer(options);
  void pool.addServer({ ...options, timeout: 5000 });
  void pool.removeServer("a");
  expect(await pool.addServer({ ...options, timeout: 6000 })).toBe(true);
  expect(counts).toMatchObject({ open: 1, most: 1 });
});

verifies(
  "mcp-pool:races",
  "disconnecting during a connect rejects it at once, and a connect after that is a new attempt",
  async () => {
    const { options, counts } = counted("a", 300);
    await using pool = new MCPClientPool({ servers: [options], supervision });
    await pool.connectAll();
    const client = pool.getClient("a");
    // The old connection takes 300 ms to close, and the new one waits for that.
    const reconnecting = pool.reconnect("a");
    let isDisconnected = false;
    const disconnecting = client?.disconnect().then(() => {
      isDisconnected = true;
    });
    expect(await reconnecting).toBe(false);
    expect(isDisconnected).toBe(false);
    const connected = client?.connect();
    await disconnecting;
    expect(await connected).toMatchObject({ serverInfo: { name: "scripted" } });
    expect(client?.connected).toBe(true);
    expect(counts).toMatchObject({ open: 1, most: 1 });
  },
);

verifies(
  "mcp-pool:races",
  "disconnectAll during connectAll ends every process, and both promises settle",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "indus-pool-"));
    try {
      const starts = join(folder, "starts");
      const servers = Array.from({ length: 4 }, (_, index) => {
        const { command, args = [] } = scripted(`s${index}`, "--mute", "--starts", starts);
        return { name: `s${index}`, config: { command, args } };
      });
      const pool = new MCPClientPool({ servers, supervision });
      const pids = (): number[] => readText(starts).trim().split("\n").filter(Boolean).map(Number);
      const unhandled = await unhandledDuring(async () => {
        const connecting = pool.connectAll();
        await expect.poll(() => pids().length, { timeout: 10_000 }).toBe(4);
        await Promise.all([pool.disconnectAll(), connecting]);
      });
      expect(unhandled).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 10 * supervision.maxDelayMs));
      expect(pids()).toHaveLength(4); // None was started again.
      expect(pids().filter(isAlive)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

verifies(
  "mcp-pool:races",
  "a transport factory that throws fails its own server only, and can recover",
  async () => {
    let isBroken = true;
    const options = scriptedOptions("b");
    const transport = (): MessageTransport => {
      if (isBroken) throw new Error("no socket left");
      return inProcess();
    };
    await using pool = new MCPClientPool({
      servers: [scriptedOptions("a"), { ...options, transport }],
      supervision: false,
    });
    await pool.connectAll();
    expect(await pool.getStatus()).toMatchObject([
      { name: "a", connected: true },
      { name: "b", connected: false, error: expect.stringContaining("no socket left") },
    ]);
    isBroken = false;
    expect(await pool.reconnect("b")).toBe(true);
    expect(pool.toolBox().descriptors()).toHaveLength(44);
  },
);

verifies(
  "mcp-pool:races",
  "a server that fails during a listing rejects it, and the next listing waits for the restart",
  async () => {
    let isFragile = true;
    const transport = (): MessageTransport => {
      const link = inProcess();
      const send = link.send.bind(link);
      link.send = async (message, options) => {
        if (message.method !== "resources/list" || !isFragile) return send(message, options);
        isFragile = false;
        await link.close();
      };
      return link;
    };
    await using pool = new MCPClientPool({ servers: [{ ...scriptedOptions("a"), transport }], supervision });
    await pool.connectAll();
    expect(await pool.listAllTools()).toMatchObject({ a: { length: 22 } });
    expect(await pool.listAllResources()).toEqual({ a: [] });
    expect(await pool.listAllTools()).toMatchObject({ a: { length: 22 } });
  },
);

verifies("mcp-pool:races", "a client removed during a call rejects the call, and stands alone", async () => {
  const { options, counts } = counted("a", 50);
  await using pool = new MCPClientPool({ servers: [options] });
  await pool.connectAll();
  const client = pool.getClient("a");
  const running = client?.callTool("silent").catch((thrown: unknown) => thrown);
  const removing = pool.removeServer("a");
  const alone = client?.connect();
  expect(await running).toMatchObject({ name: "MCPError", serverName: "a" });
  await removing;
  await alone;
  expect(client?.connected).toBe(true);
  expect(pool.getClient("a")).toBeUndefined();
  expect(pool.toolBox().descriptors()).toEqual([]);
  expect(await client?.callTool("echo", { text: "hi" })).toMatchObject({ isError: false });
  await client?.disconnect();
  expect(counts.open).toBe(0);
});

verifies("mcp-pool:races", "a reload during a connect joins it, and starts each server once", async () => {
  const { options, counts } = counted("a");
  await using pool = new MCPClientPool({ servers: [options] });
  await Promise.all([pool.connectAll(), pool.reload([options]), pool.reload([options]), pool.reload()]);
  expect(counts).toMatchObject({ open: 1, started: 1 });
});
