import { mkdir, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { initializeMCP, MCPClientPool, type MCPLogMessage } from "indusagi/mcp";
import { expect, vi } from "vitest";
import { scripted } from "../../interop/kit/scripted.ts";
import { scriptedOptions } from "../kit/in-process.ts";

const SECRET = "s3cret-value-of-a-row";

/** Servers that fail in different ways, and one that works. */
function mixedServers() {
  const { command, args = [] } = scripted("crash", "--crash");
  return [
    { name: "dead", config: { command: "no-such-program-anywhere", env: { API_TOKEN: SECRET } } },
    scriptedOptions("alive"),
    { name: "crash", config: { command, args } },
    { name: "later", config: { command: "true" }, pending: true },
  ];
}

/** What is written to standard error meanwhile. */
async function written(work: () => Promise<unknown>): Promise<readonly string[]> {
  const lines: string[] = [];
  const error = vi
    .spyOn(console, "error")
    .mockImplementation((line: unknown) => void lines.push(String(line)));
  try {
    await work();
  } finally {
    error.mockRestore();
  }
  return lines;
}

verifies(
  "mcp-pool:stderr",
  "one line per failing server, once per failure; a logger silences it",
  async () => {
    await using pool = new MCPClientPool({ servers: mixedServers(), supervision: false });
    const lines = await written(async () => {
      await pool.connectAll();
      await pool.connectAll();
      await pool.listAllTools();
    });
    expect(lines.toSorted()).toEqual([
      expect.stringMatching(/server "crash" /),
      expect.stringMatching(/server "dead" /),
      expect.stringMatching(/server "later" .*not approved.*\(in a program: trustProject\)$/),
    ]);
    expect(lines.join("")).not.toMatch(new RegExp(`\\n|${SECRET}`));
    // A server that is added later, too.
    expect(
      await written(() => pool.addServer({ name: "new", config: { command: "no-such-program-either" } })),
    ).toEqual([expect.stringMatching(/server "new" .*no-such-program-either/)]);

    // What the program itself ends has not failed.
    const { command, args = [] } = scripted("slow");
    await using ended = new MCPClientPool({ servers: [{ name: "slow", config: { command, args } }] });
    expect(await written(() => Promise.all([ended.connectAll(), ended.disconnectAll()]))).toEqual([]);

    const logged: MCPLogMessage[] = [];
    await using quiet = new MCPClientPool({
      servers: mixedServers(),
      supervision: false,
      logger: (message) => void logged.push(message),
    });
    expect(await written(() => quiet.connectAll())).toEqual([]);
    expect(logged.map(({ serverName }) => serverName).toSorted()).toEqual(["crash", "dead", "later"]);
  },
);

verifies("mcp-pool:stderr", "initializeMCP names the project's rows that wait for approval", async () => {
  await using dir = await tempDir();
  await mkdir(dir.at(".indusvx"));
  const rows = { one: { command: "true" }, two: { command: "true" } };
  await writeFile(dir.at(".indusvx", "mcp.json"), JSON.stringify({ servers: rows }));
  const place = { cwd: dir.path, home: dir.at("home"), env: { HOME: dir.at("home") } };
  const registry = { register: () => {} };
  expect(await written(() => initializeMCP(registry, place))).toEqual([
    expect.stringMatching(/server "one" in .*mcp\.json was not started .*trustProject: true/),
    expect.stringMatching(/server "two" in .*mcp\.json was not started .*trustProject: true/),
  ]);
  expect(await written(() => initializeMCP(registry, { ...place, logger: () => {} }))).toEqual([]);
});
