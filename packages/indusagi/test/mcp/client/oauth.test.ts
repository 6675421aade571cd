import { verifies } from "@indus/testkit";
import { createMemoryTokenStore, createOAuthProvider } from "indusagi/interop";
import { MCPClient, MCPClientPool } from "indusagi/mcp";
import { expect } from "vitest";
import { browser, protectedServer } from "../../interop/auth/login-kit.ts";

verifies(
  "facade:login",
  "a client takes an OAuth provider, and a pool uses a login as soon as it is in its store",
  async () => {
    await using server = await protectedServer();
    const tokenStore = createMemoryTokenStore();
    const pool = new MCPClientPool({ servers: [{ name: "s", config: { url: server.url }, tokenStore }] });
    await pool.connectAll();
    expect(pool.isConnected("s")).toBe(false);
    const auth = createOAuthProvider({ serverUrl: server.url, store: tokenStore, interaction: browser });
    const client = new MCPClient({ name: "s", config: { url: server.url }, auth });
    await client.connect();
    const { content } = await client.callTool("echo", { text: "hi" });
    expect(content).toMatchObject([{ text: "hi" }]);
    await client.disconnect();
    await expect.poll(() => pool.isConnected("s"), { timeout: 10_000 }).toBe(true);
    await pool.disconnectAll();
  },
);
