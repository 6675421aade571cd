import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { MCPClient } from "indusagi/mcp";
import { expect } from "vitest";
import { eventually, runIndus, scriptedRow } from "./run-indus.ts";
import { startInTerminal } from "./terminal-indus.ts";

/** Against a hang only: other programs may make everything slow. */
const HANG_MS = 60_000;

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

verifies(
  "connect:profile",
  "in a terminal the question is wrapped between words; Enter takes the default, Ctrl-C writes nothing",
  async () => {
    await using dir = await tempDir();
    const env = { HOME: dir.at("home"), XDG_CONFIG_HOME: undefined, XDG_STATE_HOME: dir.at("state") };
    mkdirSync(dir.at("home"));
    const file = dir.at("home", ".cursor", "mcp.json");
    const options = { cwd: dir.at("home"), env, columns: 60 };
    const asked = async (keys: string): Promise<number> => {
      using indus = startInTerminal(["connect", "cursor"], options);
      await eventually(() => indus.screen().includes("[none]") || undefined, HANG_MS);
      expect(indus.broken()).toEqual([]);
      indus.press(keys);
      return await indus.ended;
    };
    expect([await asked("\u0003"), existsSync(file)]).toEqual([130, false]);
    expect([await asked("\r"), readFileSync(file, "utf8")]).toEqual([0, expect.stringContaining('"none"')]);
  },
  { timeoutMs: 3 * HANG_MS, only: ["linux", "darwin"] },
);
