import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { tempDir, verifies } from "@indus/testkit";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "vitest";
import { eventually, indusBin, scriptedRow, startIndus, writeConfig } from "./run-indus.ts";

const require = createRequire(import.meta.url);
const run = promisify(execFile);
const TOKEN = "a-token-of-the-tests-1234";

/** The bin script of an installed package. */
function binOf(name: string, script: string): string {
  return join(dirname(require.resolve(`${name}/package.json`)), script);
}

verifies(
  "command:real-clients",
  "mcp-remote at a port with a token, and the Inspector's command line over stdio, list and call mounted tools",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { s: scriptedRow() });
    const env = { INDUS_TEST_TOKEN: TOKEN };
    using indus = startIndus(
      ["serve", "--port", "0", "--with-parent", "--token-env", "INDUS_TEST_TOKEN", "--mcp", file],
      {
        cwd: dir.path,
        env,
      },
    );
    const url = await eventually(() => /^http\S+(?=\n)/.exec(indus.out())?.[0]);
    const throughRemote = async (): Promise<void> => {
      const client = new Client({ name: "behind-mcp-remote", version: "1.0.0" });
      const remote = binOf("mcp-remote", "dist/proxy.js");
      const args = [remote, url, "--transport", "http-only", "--header", `Authorization:Bearer ${TOKEN}`];
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args,
          env: { PATH: process.env["PATH"] ?? "", MCP_REMOTE_CONFIG_DIR: dir.at("remote"), HOME: dir.path },
          stderr: "ignore",
        }),
      );
      try {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["read", "s__echo"]));
        const called = await client.callTool({ name: "s__echo", arguments: { text: "through three" } });
        expect(called.content).toEqual([{ type: "text", text: "through three" }]);
      } finally {
        await client.close();
      }
    };
    const throughInspector = async (): Promise<void> => {
      const inspector = binOf("@modelcontextprotocol/inspector-cli", "build/cli.js");
      const launch = [process.execPath, indusBin, "serve", "--stdio", "--mcp", file];
      const call = ["--method", "tools/call", "--tool-name", "s__echo", "--tool-arg", "text=inspected"];
      const { stdout } = await run(process.execPath, [inspector, "--cli", ...launch, ...call], {
        env: { ...process.env, XDG_STATE_HOME: dir.at("state") },
        timeout: 60_000,
      });
      expect(stdout).toContain("inspected");
    };
    await Promise.all([throughRemote(), throughInspector()]);
    expect(indus.out() + indus.err()).not.toContain(TOKEN);
  },
  { timeoutMs: 60_000 },
);
