import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { MCPClient } from "indusagi/mcp";
import { expect } from "vitest";
import { runIndus, scriptedRow } from "./run-indus.ts";

verifies(
  "command:connect",
  "the row that connect writes starts the gateway as a desktop application would",
  async () => {
    await using dir = await tempDir();
    const home = dir.at("home");
    const ours = dir.at("home", ".config", "indusvx", "mcp.json");
    mkdirSync(dirname(ours), { recursive: true });
    writeFileSync(ours, JSON.stringify({ servers: { s: scriptedRow() } }));
    const env = { HOME: home, XDG_CONFIG_HOME: undefined, XDG_STATE_HOME: dir.at("state") };
    const { code, out } = await runIndus(["connect", "claude-desktop"], { cwd: home, env });
    expect([code, out.split("\n").at(-2)]).toEqual([
      0,
      expect.stringContaining("connected Claude Desktop, in "),
    ]);
    const file = dir.at("home", ".config", "Claude", "claude_desktop_config.json");
    const { mcpServers } = JSON.parse(readFileSync(file, "utf8")) as {
      mcpServers: { indus: { command: string; args: string[] } };
    };
    // Without a shell around it: a short PATH, and another folder.
    const { command, args } = mcpServers.indus;
    const row = {
      command,
      args,
      cwd: "/",
      env: { HOME: home, PATH: "/usr/bin:/bin", XDG_STATE_HOME: dir.at("state") },
    };
    const client = new MCPClient({ name: "desktop", config: row });
    await client.connect();
    try {
      expect((await client.listTools()).map(({ name }) => name)).toContain("s__echo");
      expect((await client.callTool("s__echo", { text: "hi" })).content).toMatchObject([{ text: "hi" }]);
    } finally {
      await client.disconnect();
    }
  },
);
