import { mkdir, rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { ServerConfig, type StdioServerConfig } from "indusagi/interop";
import { buildSessionTools, canonToolName, loadMcpCapabilities } from "induscode/boot";
import { capabilityIds } from "induscode/deck";
import { expect } from "vitest";
import { openRun } from "../../src/boot/internal.ts";
import { COMMANDS } from "../../src/commands/index.ts";
import { openSessionServers } from "../../src/conductor/open/open-session-servers.ts";
import { parseArguments } from "../../src/launch/internal.ts";
import { scriptedRow, startedPids, untilGone, writeConfig } from "../bin/run-indus.ts";
import { gatedRow } from "../bin/scripted-client.ts";
import { library } from "../gateway/open/served-library.ts";

/** Loads the servers of the project folder of `dir`, or those of `mcp`. */
async function load(
  dir: TempDir,
  invocation: Parameters<typeof loadMcpCapabilities>[0],
  waitMs = 15_000,
): Promise<{ readonly mcp: Awaited<ReturnType<typeof loadMcpCapabilities>>; readonly reports: string[] }> {
  const reports: string[] = [];
  const env = { ...process.env, XDG_STATE_HOME: dir.at("state"), XDG_CONFIG_HOME: dir.at("config") };
  const report = (message: string): void => void reports.push(message);
  return { mcp: await loadMcpCapabilities(invocation, dir.path, { env, report, waitMs }), reports };
}

verifies("boot:session-tools", "names are compared without case, _ and -, over all cards", () => {
  expect(["web_fetch", "WebFetch", "web-fetch"].map(canonToolName)).toEqual(Array(3).fill("webfetch"));
  for (const id of capabilityIds())
    expect(parseArguments(["--tools", id.toUpperCase()], COMMANDS), id).toMatchObject({ kind: "session" });
  expect(new Set(capabilityIds().map(canonToolName)).size).toBe(19);
});

verifies(
  "boot:session-tools",
  "the deck is filtered before the tools of servers and the extras are added",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { s: scriptedRow("--starts", dir.at("starts")) });
    const { mcp, reports } = await load(dir, { mcp: [file] });
    const namesOf = (selection: Parameters<typeof buildSessionTools>[0]): string[] | undefined =>
      buildSessionTools(selection, { cwd: dir.path, mcp: mcp.source, extras: [extra] })
        ?.tools()
        .map(({ name }) => name);
    const [own] = buildSessionTools({ tools: ["ls"] }, { cwd: dir.path })?.tools() ?? [];
    const extra = { ...own, name: "extra", descriptor: { ...own?.descriptor, name: "extra" } } as never;
    expect(namesOf({})?.slice(0, 20)).toEqual([...capabilityIds(), "s__echo"]);
    expect(namesOf({})?.at(-1)).toBe("extra");
    expect(namesOf({ tools: ["BASH", "s__e*"] })).toEqual(["bash", "s__echo", "s__env", "extra"]);
    expect(namesOf({ tools: ["bash"] })).toContain("s__args");
    expect(namesOf({ tools: ["s__echo"] })).toContain("read");
    expect(namesOf({ noTools: true })).toBeUndefined();
    expect(() => namesOf({ tools: ["bahs"] })).toThrow('--tools: there is no tool named "bahs"');
    expect(mcp.ledger.liveCapabilities().length).toBe(mcp.capabilities.length);
    expect([...mcp.fleet.status().keys()]).toEqual(["s"]);
    expect(reports).toEqual([]);
    const pids = await startedPids(dir.at("starts"), 1);
    await mcp[Symbol.asyncDispose]();
    await untilGone(pids);
  },
);

verifies(
  "boot:late-servers",
  "late servers join live; a failed, a pending and a missing one is reported, and the others work",
  async () => {
    await using dir = await tempDir();
    const gate = dir.at("gate");
    await mkdir(dir.at(".indusvx"), { recursive: true });
    await writeConfig(dir.at(".indusvx", "mcp.json"), { theirs: { command: "whatever" } });
    const file = await writeConfig(dir.at("servers.json"), {
      late: gatedRow("--gate", gate),
      gone: { command: "no-such-program-anywhere" },
    });
    const { mcp, reports } = await load(dir, { mcp: [file, dir.path, dir.at("none.json")] }, 700);
    await using _mcp = mcp;
    expect(mcp.capabilities).toEqual([]);
    const all = reports.join("\n");
    expect(all).toContain("none.json:1: error: the file does not exist");
    expect(all).toMatch(/server "gone" failed: .*no-such-program-anywhere/);
    expect(all).toMatch(/server "late" is still starting; its tools join when it is ready/);
    expect(all).toMatch(/theirs.*not approved/);
    const joined = new Promise<void>((resolve) => mcp.source.onChange(() => resolve()));
    await writeConfig(gate, {});
    await joined;
    expect(mcp.capabilities.map(({ name }) => name)).toEqual(["late__t0"]);
  },
);

verifies(
  "print:late-servers",
  "for a session of one turn, only servers that were never listed are waited for",
  async () => {
    await using dir = await tempDir();
    const gate = dir.at("gate");
    const env = { ...process.env, XDG_STATE_HOME: dir.at("state"), XDG_CONFIG_HOME: dir.at("config") };
    const late = ServerConfig.stdio("late", gatedRow().command);
    const config = { ...late, args: gatedRow("--gate", gate).args };
    const open = async (): Promise<{ readonly names: readonly string[]; readonly err: string }> => {
      let err = "";
      const terminal = { out: () => {}, err: (text: string) => void (err += text) };
      const { signal } = new AbortController();
      await using run = await openRun({ terminal, signal, cwd: dir.path, env });
      const options = { waitMs: 50, onlyTurnWaitMs: 30_000, offerLastKnown: true };
      const servers = await openSessionServers(run, [config], options);
      return { names: servers.box.descriptors().map(({ name }) => name), err };
    };
    const first = open();
    await pause(400);
    await writeConfig(gate, {});
    expect(await first).toEqual({ names: ["late__t0"], err: "" });
    await rm(gate);
    expect(await open()).toEqual({ names: ["late__t0"], err: "" });
  },
);

verifies(
  "session:known-servers",
  "a server whose tools are known is not waited for, and its failure is reported when it happens",
  async () => {
    await using dir = await tempDir();
    const env = { ...process.env, XDG_STATE_HOME: dir.at("state"), XDG_CONFIG_HOME: dir.at("config") };
    const { command, args } = gatedRow("--fail", dir.at("fail"));
    const config = { ...ServerConfig.stdio("s", command), args };
    let err = "";
    let said = (): void => {};
    const told = new Promise<void>((resolve) => (said = resolve));
    const terminal = {
      out: () => {},
      err: (text: string) => {
        err += text;
        said();
      },
    };
    const open = () => openRun({ terminal, signal: new AbortController().signal, cwd: dir.path, env });
    {
      await using run = await open();
      await openSessionServers(run, [config], { offerLastKnown: true });
    }
    await writeConfig(dir.at("fail"), {});
    await using run = await open();
    let start = (): void => {};
    const startKnownAfter = new Promise<void>((resolve) => (start = resolve));
    const servers = await openSessionServers(run, [config], { offerLastKnown: true, startKnownAfter });
    expect(servers.box.descriptors().map(({ name }) => name)).toEqual(["s__t0"]);
    expect(err).toBe("");
    start();
    await told;
    expect(err).toMatch(/^indus: server "s" failed: /);
  },
);

verifies(
  "boot:required",
  "a required server is tried again within the wait, then loading fails",
  async () => {
    await using dir = await tempDir();
    const once = `const fs = require("node:fs"); if (!fs.existsSync(${JSON.stringify(dir.at("tried"))})) {
    fs.writeFileSync(${JSON.stringify(dir.at("tried"))}, ""); process.exit(1); }`.replaceAll("\n", " ");
    const { command, args } = gatedRow();
    const flaky = { command, args: ["-e", `${once} import(${JSON.stringify(args[0])})`], required: true };
    const file = await writeConfig(dir.at("flaky.json"), { flaky });
    const { mcp } = await load(dir, { mcp: [file] });
    expect(mcp.fleet.status().get("flaky")).toMatchObject({ phase: "ready" });
    await mcp[Symbol.asyncDispose]();
    const broken = { command, args: ["-e", "process.exit(3)"], required: true };
    const other = await writeConfig(dir.at("broken.json"), { broken });
    await expect(load(dir, { mcp: [other] }, 800)).rejects.toThrow(
      /server "broken" is required, but it is down/,
    );
  },
);

verifies(
  "report:unlisted",
  "a session waits until a required server could list its tools, then loading fails",
  async () => {
    await using dir = await tempDir();
    const locked = { tools: ["a"], refuses: ["tools/list"] };
    const { command, args } = (await library(dir, "s", locked)) as StdioServerConfig;
    const file = await writeConfig(dir.at("servers.json"), { s: { command, args, required: true } });
    await expect(load(dir, { mcp: [file] }, 500)).rejects.toThrow(
      /server "s" is required, but it is down \(.*the database is locked/,
    );
    const loading = load(dir, { mcp: [file] });
    await pause(300);
    await library(dir, "s", { tools: ["a"] });
    const { mcp } = await loading;
    await using _mcp = mcp;
    expect(mcp.capabilities.map(({ name }) => name)).toEqual(["s__a"]);
  },
);

verifies("boot:session-tools", "without tools nothing is read or started", async () => {
  await using dir = await tempDir();
  const file = await writeConfig(dir.at("servers.json"), { s: scriptedRow("--starts", dir.at("starts")) });
  const { mcp, reports } = await load(dir, { mcp: [file], noTools: true });
  await using _mcp = mcp;
  expect([mcp.capabilities, mcp.fleet.status().size, reports]).toEqual([[], 0, []]);
});
