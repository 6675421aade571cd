import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { createManualClock, createUlidMinter } from "indusagi/core";
import { BridgeLedger, explainTool, followBridgeBox, openLedgerLog, readLedgerHistory } from "induscode/deck";
import { expect } from "vitest";
import { openRun, type Run } from "../../../src/boot/internal.ts";
import { createRunLedger, ledgerFolder } from "../../../src/boot/run/run-ledger.ts";
import { findServers, openServers } from "../../../src/servers/internal.ts";
import { readLastStates } from "../../../src/servers/memory/index.ts";
import { eventually, writeConfig } from "../../bin/run-indus.ts";
import { sampleCapability } from "../../deck/ledger/sample-tools.ts";
import { tool } from "../../servers/pins/sample-server.ts";

const script = fileURLToPath(new URL("../../../../../test/servers/listed.mjs", import.meta.url));

/** A run that mounts one server, which offers what the file contains. */
async function mountedRun(dir: TempDir, offered: object) {
  const reports: string[] = [];
  writeFileSync(dir.at("offered.json"), JSON.stringify(offered));
  const terminal = { out: () => {}, err: (text: string) => void reports.push(text) };
  const { signal } = new AbortController();
  const run: Run = await openRun({
    terminal,
    signal,
    cwd: dir.path,
    env: { XDG_STATE_HOME: dir.at("state") },
  });
  const file = await writeConfig(dir.at("servers.json"), {
    notes: { command: process.execPath, args: [script, dir.at("offered.json")] },
  });
  const found = await findServers(run, { mcp: [file], run: [] });
  const servers = await openServers(run, { servers: found?.configs ?? [] });
  await servers.settled;
  const { path: state } = await run.state.folder();
  return { run, servers, reports, state };
}

verifies(
  "pins:refusal",
  "a withheld tool is not in the box, its call is refused with the command to approve, and the ledger explains it",
  async () => {
    await using dir = await tempDir();
    const prompts = [{ name: "greet", description: "Greets." }];
    {
      const { run, state } = await mountedRun(dir, { tools: [tool()], prompts, instructions: "Be kind." });
      // The instructions are pinned last, and not at all if the run ends before.
      const pinned = (): true | undefined => {
        const files = readdirSync(join(state, "pins")).filter((name) => name.endsWith(".json"));
        const texts = files.map((name) => readFileSync(join(state, "pins", name), "utf8"));
        return texts.some((text) => text.includes('"instructions/"')) ? true : undefined;
      };
      await eventually(pinned);
      await run[Symbol.asyncDispose]();
      expect(readdirSync(state)).not.toContain("ledger"); // A run that decides nothing leaves no segment.
    }
    const { run, servers, reports, state } = await mountedRun(dir, {
      tools: [tool({ annotations: { readOnlyHint: true } }), tool({ name: "new" })],
      prompts,
      instructions: "Be rude.",
    });
    expect(servers.box.descriptors().map(({ name }) => name)).toEqual(["notes__new"]);
    const command = `indus mcp approve notes__find --cwd ${dir.path}`;
    const refused = await servers.box.runner.run({ id: "c", name: "notes__find", input: {} });
    expect(refused.fault).toMatchObject({ reason: "policy", server: "notes" });
    expect(refused.output).toBe(
      `tool "find" of server "notes" is quarantined: it now claims that it changes nothing. To see and approve the change: ${command}`,
    );
    expect(servers.statuses()[0]).toMatchObject({ toolCount: 1, notes: [refused.output] });
    const [listed] = await servers.relay.list("prompts");
    expect(listed?.items).toEqual(prompts); // As approved.
    await eventually(() => (reports.length === 2 ? true : undefined)); // The instructions come after the tools.
    expect(reports[1]).toContain('server "notes" changed the text of its instructions');
    await run[Symbol.asyncDispose]();
    const history = await readLedgerHistory(ledgerFolder(state));
    expect(history.events.map(({ op, tool }) => [op, tool])).toEqual([
      ["quarantine", "find"],
      ["hold", ""],
    ]);
    expect(history.events[0]).toMatchObject({
      decision: {
        before: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        after: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        difference: expect.stringContaining('+  "readOnlyHint": true') as string,
      },
    });
    expect(explainTool(history, "notes__find")).toMatchObject([
      { state: "quarantined", reason: "it now claims that it changes nothing" },
    ]);
  },
);

verifies(
  "ledger:log-sweep",
  "the ledger of a run keeps the last state of deleted segments in the catalogue's folder",
  async () => {
    await using dir = await tempDir();
    const oldMs = Date.now() - 40 * 24 * 60 * 60 * 1000;
    const old = createUlidMinter({ clock: createManualClock(oldMs) })();
    const at = new Date(oldMs).toISOString();
    const capability = sampleCapability("s", "a");
    {
      await using log = await openLedgerLog(ledgerFolder(dir.path));
      await log.append(BridgeLedger.empty().enroll({ capability, server: "s" }, at).log);
      renameSync(log.path, join(ledgerFolder(dir.path), `${old}.log`));
    }
    await using ledger = createRunLedger({ state: async () => dir.path, report: () => {} });
    const log = await ledger.log();
    expect(log?.swept).toEqual({ deleted: [old], kept: [] });
    expect(readLastStates(join(dir.path, "catalogue"))).toMatchObject([
      { server: "s", tool: "a", isLive: true, since: at, at },
    ]);
    expect(await ledger.log()).toBe(log);
  },
);

verifies(
  "pins:ledger",
  "an adopted schema is a decision with both hashes, retires the old entry and enrolls the new one",
  async () => {
    await using dir = await tempDir();
    const { run, servers, state } = await mountedRun(dir, { tools: [tool()] });
    const log = await run.state.ledger.log();
    const live = followBridgeBox(servers.box, log ? { log } : {});
    const inputSchema = {
      type: "object",
      properties: { text: { type: "string" }, limit: { type: "number" } },
      required: ["text"],
    };
    writeFileSync(dir.at("offered.json"), JSON.stringify({ tools: [tool({ inputSchema })] }));
    await servers.fleet.restart("notes");
    await live.close();
    await run[Symbol.asyncDispose]();
    const { events } = await readLedgerHistory(ledgerFolder(state));
    expect(events.map(({ op }) => op).toSorted()).toEqual(["adopt", "enroll", "enroll", "retire"]);
    const adopted = events.find(({ op }) => op === "adopt");
    expect(adopted).toMatchObject({
      decision: {
        reason: 'its schema gained "limit"',
        difference: expect.stringContaining('+   "limit": {') as string,
      },
    });
    const hashes = events.flatMap((event) => ("decision" in event ? [] : [event.capability.fingerprint]));
    expect(adopted).toMatchObject({ decision: { before: hashes[0], after: hashes.at(-1) } });
  },
);

verifies(
  "ledger:late",
  "a run that ends before its ledger is opened has its tools in the log; after the end no log is opened",
  async () => {
    await using dir = await tempDir();
    const { run, servers, state } = await mountedRun(dir, { tools: [tool()] });
    const never = new Promise<void>(() => {});
    const live = run.state.follow(servers.box, never);
    await run[Symbol.asyncDispose]();
    const names = (await live).ledger.log.map(({ op, capability }) => `${op} ${capability?.name}`);
    expect(names).toEqual([`enroll notes__${tool().name}`]);
    const segments = readdirSync(ledgerFolder(state));
    expect(segments).toEqual([expect.stringMatching(/\.log$/)]); // Its lock is released.
    const history = await readLedgerHistory(ledgerFolder(state));
    expect(JSON.stringify(history)).toContain(`notes__${tool().name}`);

    await using other = await tempDir();
    const late = await mountedRun(other, { tools: [tool()] });
    await late.run[Symbol.asyncDispose]();
    await late.run.state.follow(late.servers.box);
    expect(readdirSync(late.state)).not.toContain("ledger");
  },
);
