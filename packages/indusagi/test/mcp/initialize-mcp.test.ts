import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { type AgentTool, type AgentToolMeta, initializeMCP } from "indusagi/mcp";
import { expect } from "vitest";
import { isAlive, scripted } from "../interop/kit/scripted.ts";

/** A home of our own, so that no configuration of this machine is read. */
const rowContainer = (dir: TempDir) => ({
  home: dir.at("home"),
  env: { ...process.env, HOME: dir.at("home"), XDG_CONFIG_HOME: "" },
});

function registry() {
  const tools = new Map<string, () => AgentTool>();
  return { tools, register: (meta: AgentToolMeta, make: () => AgentTool) => void tools.set(meta.name, make) };
}

/** A row whose server leaves a mark when it is started. */
const marking = (mark: string) => {
  const { command, args } = scripted("x", "--starts", mark);
  return { command, args };
};

async function written(path: string, servers: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify({ servers }));
}

verifies(
  "mcp-initialize:trust",
  "a project's servers start only with trust, and a notice explains that",
  async () => {
    await using dir = await tempDir();
    const mark = dir.at("started");
    await written(dir.at(".indusvx", "mcp.json"), { local: marking(mark) });
    const careful = registry();
    const lines: string[] = [];
    const logger = ({ message }: { readonly message: string }): void => void lines.push(message);
    const without = await initializeMCP(careful, dir.path, { ...rowContainer(dir), logger });
    expect(existsSync(mark)).toBe(false);
    expect(without.toolCount).toBe(0);
    expect(careful.tools.size).toBe(0);
    expect(await without.pool.getStatus()).toEqual([]);
    expect(without.notices).toEqual([
      expect.stringMatching(/server "local" in .*mcp\.json was not started .*trustProject: true/),
    ]);
    expect(lines).toEqual(without.notices);

    const trusting = registry();
    const trusted = await initializeMCP(trusting, {
      cwd: dir.path,
      trustProject: true,
      ...rowContainer(dir),
    });
    expect(existsSync(mark)).toBe(true);
    expect(trusted).toMatchObject({ toolCount: 22, notices: [] });
    expect(await trusting.tools.get("local_echo")?.().execute("1", { text: "hi" })).toMatchObject({
      content: [{ type: "text", text: "hi" }],
      isError: false,
    });
    await trusted.pool.disconnectAll();
  },
);

verifies(
  "mcp-initialize:register",
  "the user's servers are registered, and a dead one stays in the status",
  async () => {
    await using dir = await tempDir();
    const { command, args } = scripted("x");
    await written(dir.at("home", ".config", "indusvx", "mcp.json"), {
      mine: { command, args },
      dead: { command: "no-such-program-anywhere" },
      wrong: {},
    });
    const mine = registry();
    const { pool, toolCount, notices } = await initializeMCP(mine, { cwd: dir.path, ...rowContainer(dir) });
    expect(toolCount).toBe(22);
    expect(mine.tools.size).toBe(22);
    expect(await pool.getStatus()).toMatchObject([
      { name: "mine", connected: true, toolCount: 22 },
      { name: "dead", connected: false, error: expect.stringContaining("dead") },
    ]);
    expect(notices).toEqual([expect.stringMatching(/mcp\.json:1: .*"wrong"/)]);
    await pool.disconnectAll();
  },
);

verifies(
  "mcp-initialize:register",
  "if the registry throws, at once or later, no server keeps running",
  async () => {
    await using dir = await tempDir();
    const mark = dir.at("started");
    await written(dir.at("home", ".config", "indusvx", "mcp.json"), { mine: marking(mark) });
    const refuse = (): never => {
      throw new Error("no room");
    };
    for (const register of [refuse, async () => refuse()])
      await expect(initializeMCP({ register }, { cwd: dir.path, ...rowContainer(dir) })).rejects.toThrow(
        "no room",
      );
    const pids = (await readFile(mark, "utf8")).trim().split("\n").map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  },
);

verifies("mcp-initialize:register", "without a configuration the pool is empty", async () => {
  await using dir = await tempDir();
  const { pool, toolCount, notices } = await initializeMCP(registry(), {
    cwd: dir.path,
    ...rowContainer(dir),
  });
  expect([pool.getAllClients(), toolCount, notices]).toEqual([[], 0, []]);
});
