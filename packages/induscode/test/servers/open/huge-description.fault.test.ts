import { statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { atSize, recordFigure, type TempDir, tempDir, verifies } from "@indus/testkit";
import { followBridgeBox, listLedgerSegments, replayLedgerLog } from "induscode/deck";
import { expect } from "vitest";
import { openRun } from "../../../src/boot/internal.ts";
import { ledgerFolder } from "../../../src/boot/run/run-ledger.ts";
import { findServers, openServers } from "../../../src/servers/internal.ts";
import { writeConfig } from "../../bin/run-indus.ts";

const script = fileURLToPath(new URL("../../../../../test/servers/listed.mjs", import.meta.url));
/** More than a catalogue keeps. */
const CHARS = atSize({ quick: 9_000_000, full: 50_000_000 });

async function mounted(dir: TempDir, startAfter?: Promise<unknown>) {
  const reports: string[] = [];
  const terminal = { out: () => {}, err: (text: string) => void reports.push(text) };
  const { signal } = new AbortController();
  const run = await openRun({ terminal, signal, cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } });
  const file = await writeConfig(dir.at("servers.json"), {
    s: { command: process.execPath, args: [script, dir.at("offered.json")] },
  });
  const found = await findServers(run, { mcp: [file], run: [] });
  const servers = await openServers(run, {
    servers: found?.configs ?? [],
    offerLastKnown: true,
    ...(startAfter ? { startAfter } : {}),
  });
  return { run, servers, reports, state: (await run.state.folder()).path };
}

verifies(
  "ledger:log-cut",
  "a server with a huge description works, is stored cut, and is started again instead of served from the catalogue",
  async () => {
    await using dir = await tempDir();
    const inputSchema = { type: "object" };
    const tools = [
      { name: "huge", description: "x".repeat(CHARS), inputSchema },
      { name: "small", description: "small", inputSchema },
    ];
    writeFileSync(dir.at("offered.json"), JSON.stringify({ tools }));
    const first = await mounted(dir);
    await first.servers.settled;
    expect(first.servers.box.descriptors().map(({ description }) => description.length)).toEqual([CHARS, 5]);
    const log = await first.run.state.ledger.log();
    await followBridgeBox(first.servers.box, log ? { log } : {}).close();
    await first.run[Symbol.asyncDispose]();
    expect(first.reports).toEqual(['indus: the tools of server "s" are too large to be remembered\n']);

    const [segment] = await listLedgerSegments(ledgerFolder(first.state));
    const bytes = statSync(segment?.path ?? "").size;
    expect(bytes).toBeLessThan(200_000);
    const replay = await replayLedgerLog(segment?.path ?? "");
    expect(replay.ledger?.liveCapabilities().map(({ isCut }) => isCut)).toEqual([true, false]);

    let start = (): void => {};
    const second = await mounted(dir, new Promise<void>((resolve) => (start = resolve)));
    start();
    await second.servers.begun;
    expect(second.servers.box.descriptors()).toEqual([]); // Nothing is known of it that could be offered.
    await second.servers.learned;
    const outcome = await second.servers.box.runner.run({ id: "1", name: "s__huge", input: {} });
    expect(outcome.output).toBe("called huge");
    expect(second.servers.box.descriptors()[0]?.description).toHaveLength(CHARS);
    await second.run[Symbol.asyncDispose]();
    recordFigure({
      what: "B22 a server with a huge description",
      size: `${Math.round(CHARS / 1_000_000)} MB`,
      found: `its tools work; ${Math.round(bytes / 1024)} KB in the ledger, nothing in the catalogue`,
    });
  },
  { timeoutMs: 120_000 },
);
