import { mkdir, readFile } from "node:fs/promises";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openRun, type Run } from "../../src/boot/internal.ts";
import { call } from "../../src/commands/call.ts";
import { COMMANDS } from "../../src/commands/index.ts";
import { overview } from "../../src/commands/overview.ts";
import { tools } from "../../src/commands/tools.ts";
import { findServers, openServers } from "../../src/servers/internal.ts";
import { scriptedRow, writeConfig } from "../bin/run-indus.ts";

interface Shown {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a command shows in the folder `project`. */
async function shownBy(dir: TempDir, command: (run: Run) => Promise<number>, width = 60): Promise<Shown> {
  let [out, err] = ["", ""];
  const terminal = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    outLook: { width },
  };
  const env = { XDG_STATE_HOME: dir.at("state"), XDG_CONFIG_HOME: dir.at("config"), HOME: dir.at("home") };
  const { signal } = new AbortController();
  await using run = await openRun({ terminal, signal, cwd: dir.at("project"), env });
  return { code: await command(run), out, err };
}

const sources = { mcp: [], run: [] };

verifies(
  "command:overview",
  "indus alone shows first commands and what is known about each server, and starts none",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("project", ".indusvx"), { recursive: true });
    const nothing = await shownBy(dir, (run) => overview(run, COMMANDS));
    expect(nothing.out).toMatch(/^indus: native tools .*\n\n {2}indus tools {5}List the native tools/);
    expect(nothing.out).toMatch(/\nNo servers are configured for this folder/);
    await mkdir(dir.at("config", "indusvx"), { recursive: true });
    const starts = dir.at("starts");
    await writeConfig(dir.at("config", "indusvx", "mcp.json"), {
      known: scriptedRow("--starts", starts),
      fresh: { command: "no-such-program-anywhere" },
      off: { command: "x", enabled: false },
    });
    await writeConfig(dir.at("project", ".indusvx", "mcp.json"), { theirs: { command: "x" } });
    await shownBy(dir, async (run) => {
      const found = await findServers(run, sources);
      const servers = found?.configs.filter(({ id }) => id === "known") ?? [];
      await (await openServers(run, { servers })).settled;
      return 0;
    });
    const [shown, listed, filtered] = [
      await shownBy(dir, (run) => overview(run, COMMANDS)),
      await shownBy(dir, (run) => tools(run, { json: false, sources }), 200),
      await shownBy(dir, (run) =>
        tools(run, { json: true, sources: { ...sources, tools: ["ls", "known__ec*"] } }),
      ),
    ];
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.out).toMatch(/\nSERVER +ORIGIN +TRUST +TOOLS +NOTE\n/);
    expect(shown.out).toMatch(/\nknown +user +yours +22 +-\n/);
    expect(shown.out).toMatch(/\nfresh +user +yours +- +not started yet\n/);
    expect(shown.out).toMatch(/\noff +user +disabled +- /);
    expect(shown.out).toMatch(/\ntheirs +project +pending +- +comes with/);
    expect(Math.max(...shown.out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(listed.out).toMatch(
      /^TOOL +CHANGES +IN A SESSION +ARGUMENTS[^]*\n\nTOOL +SERVER +WHAT IT DOES\nknown__echo +known +The echo tool\n/,
    );
    expect(listed.err).toBe("indus: tools not known yet: fresh; indus mcp list starts these servers\n");
    const names = (JSON.parse(filtered.out) as readonly { readonly name: string }[]).map(({ name }) => name);
    expect(names).toEqual(["ls", "known__echo"]);
    expect((await readFile(starts, "utf8")).trim().split("\n")).toHaveLength(1);
  },
);

verifies(
  "command:sources",
  "a call of a project's server that is not approved is one line with the way to approve it",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("project", ".indusvx"), { recursive: true });
    await writeConfig(dir.at("project", ".indusvx", "mcp.json"), { theirs: { command: "x" } });
    const { code, out, err } = await shownBy(dir, (run) =>
      call(run, { tool: "theirs__add", given: [], json: false, check: true, sources }),
    );
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^indus: server "theirs" .*indus mcp trust theirs[^\n]*\n$/);
  },
);
