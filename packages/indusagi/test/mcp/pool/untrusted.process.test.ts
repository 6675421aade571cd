import { existsSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { MCPClient, MCPClientPool } from "indusagi/mcp";
import { expect } from "vitest";
import { scripted } from "../../interop/kit/scripted.ts";

verifies(
  "mcp-pool:untrusted",
  "a pool and a client list a pending server and never start it; without the mark they do",
  async () => {
    await using dir = await tempDir();
    const mark = dir.at("started");
    const { command, args = [] } = scripted("x", "--starts", mark);
    const approved = { name: "x", config: { command, args } };
    const pending = { ...approved, pending: true };
    await using pool = new MCPClientPool({ servers: [pending] });
    const shown = [
      {
        name: "x",
        connected: false,
        state: "untrusted",
        error: expect.stringMatching(/server "x" .* not approved.*indus mcp trust x.*trustProject/),
      },
    ];
    expect(await pool.getStatus()).toEqual(shown);
    await pool.connectAll();
    expect(await pool.reconnect("x")).toBe(false);
    await pool.reload([pending]);
    expect(await pool.addServer(pending)).toBe(false);
    expect(await pool.getStatus()).toEqual(shown);
    expect(await pool.listAllTools()).toEqual({ x: [] });
    await expect(new MCPClient(pending).connect()).rejects.toThrow("is not approved");
    expect(existsSync(mark)).toBe(false);

    await pool.reload([approved]);
    expect(existsSync(mark)).toBe(true);
    expect(await pool.getStatus()).toMatchObject([{ name: "x", connected: true }]);
  },
);
