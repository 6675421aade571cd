import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { runIndus, writeConfig } from "./run-indus.ts";

/** A legacy server with one tool that first writes its name to a file. */
function noted(name: string, starts: string): object {
  const program = `
    require("node:fs").appendFileSync(${JSON.stringify(starts)}, ${JSON.stringify(`${name}\n`)});
    const results = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "n", version: "1" } },
      "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
    };
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined) return;
      const result = results[method];
      const answer = result ? { result } : { error: { code: -32601, message: "unknown" } };
      console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });`;
  return { command: process.execPath, args: ["-e", program.replaceAll("\n", " ")] };
}

async function writeRows(file: string, rows: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeConfig(file, rows);
}

verifies(
  "servers:early",
  "each approved and enabled server is started once; one that is pending, disabled or not named never is",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts.txt");
    await writeRows(dir.at("config/indusvx/mcp.json"), {
      own: noted("own", starts),
      other: noted("other", starts),
      off: { ...noted("off", starts), enabled: false },
    });
    await writeRows(dir.at("work/.indusvx/mcp.json"), { foreign: noted("foreign", starts) });
    const env = { XDG_CONFIG_HOME: dir.at("config"), XDG_STATE_HOME: dir.at("state") };
    const options = { cwd: dir.at("work"), env };
    const started = async (...args: string[]): Promise<readonly string[]> => {
      const { out } = await runIndus(["mcp", "list", "--json", ...args], options);
      const { servers } = JSON.parse(out) as { servers: { server: string; phase: string }[] };
      expect(servers.find(({ server }) => server === "own")?.phase).toBe("ready");
      return (await readFile(starts, "utf8")).trim().split("\n").sort();
    };
    expect(await started()).toEqual(["other", "own"]);
    expect(await started("own")).toEqual(["other", "own", "own"]);
  },
);
