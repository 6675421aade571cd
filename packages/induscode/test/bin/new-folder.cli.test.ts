import { mkdir, rm, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { runIndus, writeConfig } from "./run-indus.ts";
import { connectScripted, gatedRow, mountedNames } from "./scripted-client.ts";

const CLIENTS = ["claude-code", "codex-mcp-client", "opencode", "gemini-cli-mcp-client"];

verifies(
  "catalogue:everywhere",
  "the first list of any client in a new folder has every tool of the user's servers, even while they do not answer",
  async () => {
    await using dir = await tempDir();
    const gate = dir.at("gate");
    await mkdir(dir.at("config", "indusvx"), { recursive: true });
    await writeConfig(dir.at("config", "indusvx", "mcp.json"), {
      a: gatedRow("--gate", gate),
      b: gatedRow("--gate", gate),
    });
    const env = { HOME: dir.path, XDG_CONFIG_HOME: dir.at("config"), XDG_STATE_HOME: dir.at("state") };
    await writeFile(gate, "");
    await mkdir(dir.at("first"));
    expect((await runIndus(["mcp", "list"], { cwd: dir.at("first"), env })).code).toBe(0);
    await rm(gate); // From now on the servers are mute.
    for (const name of CLIENTS) {
      const cwd = dir.at(name);
      await mkdir(cwd);
      using client = await connectScripted(name, [], { cwd, env });
      expect(mountedNames(await client.result(client.request("tools/list")))).toEqual(["a__t0", "b__t0"]);
    }
  },
);

verifies(
  "catalogue:everywhere",
  "a client that leaves soon after a listing leaves what was listed",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("config", "indusvx"), { recursive: true });
    await writeConfig(dir.at("config", "indusvx", "mcp.json"), { a: gatedRow() });
    const env = { HOME: dir.path, XDG_CONFIG_HOME: dir.at("config"), XDG_STATE_HOME: dir.at("state") };
    for (const name of ["one", "two"]) await mkdir(dir.at(name));
    using client = await connectScripted("any", ["--wait", "30"], { cwd: dir.at("one"), env });
    expect(mountedNames(await client.result(client.request("tools/list")))).toEqual(["a__t0"]);
    client.indus.child.stdin.end();
    await client.indus.ended;
    expect((await runIndus(["tools"], { cwd: dir.at("two"), env })).out).toContain("a__t0");
  },
);
