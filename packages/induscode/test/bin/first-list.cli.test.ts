import { readFileSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempDir, verifiesTogether } from "@indus/testkit";
import { createServerEndpoint, type EraMemory, type ProtocolEra, type ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { eventually, indusBin, runIndus, startIndus, writeConfig } from "./run-indus.ts";
import { connectScripted, gatedFleet, gatedRow, mountedNames } from "./scripted-client.ts";

const COUNT = 2;
/** Against a hang only: every wait below ends with an event. */
const TIMEOUT_MS = 120_000;
const HANG_MS = 60_000;

verifiesTogether(
  "catalogue:at-once",
  "initialize is answered while servers are mute; --wait sets how long the first tools/list waits",
  async () => {
    await using dir = await tempDir();
    const { file, names, options, open } = await gatedFleet(dir, COUNT);
    using client = await connectScripted("any", ["--mcp", file, "--wait", "0"], options);
    expect(mountedNames(await client.result(client.request("tools/list")))).toEqual([]);
    await open();
    using patient = await connectScripted("claude-code", ["--mcp", file, "--wait", "60"], options);
    expect(mountedNames(await patient.result(patient.request("tools/list")))).toEqual(names);
    const capabilities = { listChanged: true };
    expect(patient.messages()[0]?.result?.["capabilities"]).toMatchObject({
      tools: capabilities,
      prompts: capabilities,
      resources: capabilities,
    });
  },
  { timeoutMs: TIMEOUT_MS },
);

/** The text of a file; empty if it does not exist yet. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** A client that knows the era: on a busy machine the answer to its probe may come too late. */
const knows = (era: ProtocolEra): EraMemory => ({ recall: () => era, remember: () => {} });

for (const era of ["legacy", "modern"] as const)
  for (const transport of ["stdio", "http"] as const)
    verifiesTogether(
      "catalogue:first-list",
      `serve, ${era} over ${transport}: without a catalogue the first list waits, with one it does not`,
      async () => {
        await using dir = await tempDir();
        const { file, names, options, open, close } = await gatedFleet(dir, COUNT);
        const listed = async (config: ServerConfig, before: () => Promise<void>): Promise<string[]> => {
          const client = createServerEndpoint(config, undefined, { eras: knows(era) });
          await client.open();
          expect(client.session().era).toBe(era);
          const listing = client.listTools();
          await before();
          const found = (await listing).map(({ ref }) => ref.name).filter((name) => name.includes("__"));
          await client.close();
          return found;
        };
        const rounds = [open, close] as const; // Open while the first client waits; closed when the second comes.
        if (transport === "stdio") {
          const args = [indusBin, "serve", "--stdio", "--mcp", file];
          const env = { XDG_STATE_HOME: dir.at("state") };
          const config = {
            kind: "stdio",
            id: "indus",
            command: process.execPath,
            args,
            cwd: dir.path,
            env,
          } as const;
          expect(await listed(config, open)).toEqual(names);
          await close();
          expect(await listed(config, close)).toEqual(names);
          return;
        }
        for (const before of rounds) {
          if (before === close) await close();
          using indus = startIndus(["serve", "--port", "0", "--mcp", file], options);
          const url = await eventually(() => /^http\S+(?=\n)/.exec(indus.out())?.[0], HANG_MS);
          expect(await listed({ kind: "streamable-http", id: "indus", url }, before)).toEqual(names);
          indus.child.kill("SIGTERM");
          await indus.ended;
        }
      },
      { timeoutMs: TIMEOUT_MS },
    );

verifiesTogether(
  "catalogue:changed",
  "tools that changed since the last run are corrected with list_changed; another launch knows nothing",
  async () => {
    await using dir = await tempDir();
    const tools = dir.at("tools");
    const gate = dir.at("gate");
    const options = { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } };
    await writeFile(tools, "same\nold\n");
    const row = gatedRow("--tools", tools, "--gate", gate);
    const file = await writeConfig(dir.at("servers.json"), { s: row });
    await writeFile(gate, "");
    expect((await runIndus(["mcp", "list", "--mcp", file], options)).code).toBe(0); // Every command remembers.
    await rm(gate);
    await writeFile(tools, "same\nnew\n");
    using client = await connectScripted("codex-mcp-client", ["--mcp", file], options);
    expect(mountedNames(await client.result(client.request("tools/list")))).toEqual(["s__same", "s__old"]);
    await writeFile(gate, "");
    await eventually(() => client.messages().find(({ method }) => method?.endsWith("tools/list_changed")));
    expect(mountedNames(await client.result(client.request("tools/list")))).toEqual(["s__same", "s__new"]);
    await rm(gate);
    const changed = { s: { ...row, args: [...row.args, "--other"] } };
    const other = await writeConfig(dir.at("other.json"), changed);
    using stranger = await connectScripted("any", ["--mcp", other, "--wait", "0"], options);
    expect(mountedNames(await stranger.result(stranger.request("tools/list")))).toEqual([]);
  },
  { timeoutMs: TIMEOUT_MS },
);

verifiesTogether(
  "catalogue:list-before-starts",
  "a client that does not ask for its tools delays the servers by a second, not for ever",
  async () => {
    await using dir = await tempDir();
    const options = { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } };
    const mark = dir.at("mark");
    const file = await writeConfig(dir.at("servers.json"), { s: gatedRow("--mark", mark) });
    await runIndus(["mcp", "list", "--mcp", file], options);
    await rm(mark);
    const startMs = Date.now();
    using _silent = await connectScripted("any", ["--mcp", file], options);
    const markedMs = await eventually(() => Number(readText(mark)) || undefined, HANG_MS);
    expect(markedMs - startMs).toBeGreaterThanOrEqual(1_000);
  },
  { timeoutMs: TIMEOUT_MS },
);

verifiesTogether(
  "catalogue:failing-server",
  "a server that failed its last two starts is not waited for",
  async () => {
    await using dir = await tempDir();
    const options = { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } };
    const fail = dir.at("fail");
    const gated = gatedRow("--gate", dir.at("gate"), "--fail", fail);
    const row = { ...gated, timeouts: { connectMs: 600_000 } };
    const file = await writeConfig(dir.at("servers.json"), { s: row });
    await writeFile(fail, "");
    for (let time = 0; time < 2; time++) await runIndus(["mcp", "list", "--mcp", file], options);
    await rm(fail); // From now on it is mute. A client that waited for it would get no answer in this test.
    using client = await connectScripted("any", ["--mcp", file, "--wait", "600"], options);
    expect(mountedNames(await client.result(client.request("tools/list")))).toEqual([]);
  },
  { timeoutMs: TIMEOUT_MS },
);

for (const transport of ["stdio", "http"] as const)
  verifiesTogether(
    "catalogue:required",
    `a required server that fails after initialize ends serve over ${transport} with exit code 1`,
    async () => {
      await using dir = await tempDir();
      const options = { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } };
      const fail = dir.at("fail");
      const row = { ...gatedRow("--gate", dir.at("gate"), "--fail", fail), required: true };
      const file = await writeConfig(dir.at("servers.json"), { s: row, good: gatedRow() });
      if (transport === "stdio") {
        using client = await connectScripted("any", ["--wait", "1", "--mcp", file], options);
        await writeFile(fail, "");
        expect(await client.indus.ended).toBe(1);
        expect(client.indus.err()).toContain('indus: server "s" is required, but it is down');
        return;
      }
      using indus = startIndus(["serve", "--port", "0", "--wait", "1", "--mcp", file], options);
      await eventually(() => indus.out().includes("\n") || undefined);
      await writeFile(fail, "");
      expect(await indus.ended).toBe(1);
      expect(indus.err()).toContain('indus: server "s" is required, but it is down');
    },
    { timeoutMs: TIMEOUT_MS },
  );

verifiesTogether(
  "catalogue:damaged",
  "serve works with damaged catalogues and without a state folder, and writes one line",
  async () => {
    await using dir = await tempDir();
    const options = { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } };
    const file = await writeConfig(dir.at("servers.json"), { s: gatedRow() });
    await runIndus(["mcp", "list", "--mcp", file], options);
    const [workspace = ""] = await readdir(dir.at("state", "indusvx"));
    const folder = dir.at("state", "indusvx", workspace, "catalogue");
    const [entry = ""] = await readdir(folder);
    await writeFile(join(folder, entry), "{");
    using damaged = await connectScripted("any", ["--mcp", file], options);
    expect(mountedNames(await damaged.result(damaged.request("tools/list")))).toEqual(["s__t0"]);
    expect(damaged.indus.err().match(/catalogue/g)).toHaveLength(2); // The word and the path, in one line.
    await writeFile(dir.at("file"), "");
    const nowhere = { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("file") } };
    using stateless = await connectScripted("any", ["--mcp", file], nowhere);
    expect(mountedNames(await stateless.result(stateless.request("tools/list")))).toEqual(["s__t0"]);
    expect(stateless.indus.err().match(/the tools of the servers are not remembered/g)).toHaveLength(1);
  },
  { timeoutMs: TIMEOUT_MS },
);
