import { readFile, rename, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { createManualClock, createUlidMinter } from "indusagi/core";
import {
  BridgeLedger,
  type LastState,
  listLedgerSegments,
  openLedgerLog,
  readLedgerHistory,
  replayLedgerLog,
} from "induscode/deck";
import { expect } from "vitest";
import { AT, asData, sampleCapability } from "../ledger/sample-tools.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.now();
const isoDaysAgo = (days: number): string => new Date(NOW - days * DAY).toISOString();

/** Moves a closed segment into the past: its id holds the time of its start. */
async function aged(path: string, folder: string, days: number): Promise<string> {
  const id = createUlidMinter({ clock: createManualClock(NOW - days * DAY) })();
  await rename(path, `${folder}/${id}.log`);
  return id;
}

function ledgerOf(tools: readonly string[], at: string): BridgeLedger {
  return tools.reduce(
    (ledger, tool) => ledger.enroll({ capability: sampleCapability("fs", tool), server: "fs" }, at),
    BridgeLedger.empty(),
  );
}

async function run(folder: string, ledger: BridgeLedger): Promise<string> {
  await using log = await openLedgerLog(folder);
  await log.append(ledger.log);
  return log.path;
}

verifies(
  "ledger:log-sweep",
  "old segments are deleted, their last state is kept, and younger segments keep their descriptions",
  async () => {
    await using dir = await tempDir();
    const first = ledgerOf(["a", "b", "c"], isoDaysAgo(40));
    const old = await aged(await run(dir.path, first), dir.path, 40);
    const young = ledgerOf(["b"], AT);
    await run(dir.path, young);
    await writeFile(dir.at(`${old}.log.${old}.torn`), "x");

    const states: LastState[] = [];
    const keep = (found: readonly LastState[]) => void states.push(...found);
    await using log = await openLedgerLog(dir.path, { sweep: { keep } });
    expect(log.swept).toEqual({ deleted: [old], kept: [] });
    expect(states.map(({ tool, isLive }) => [tool, isLive])).toEqual([
      ["a", true],
      ["b", true],
      ["c", true],
    ]);
    const segments = await listLedgerSegments(dir.path);
    expect(segments).toHaveLength(2);
    const [, kept] = await Promise.all(segments.map(({ path }) => replayLedgerLog(path)));
    expect(kept?.state).toBe("whole");
    const replay = await replayLedgerLog(segments[0]?.path ?? "");
    expect(asData(replay.ledger?.log ?? [])).toEqual(asData(young.log));
    expect((await readFile(log.path, "utf8")).split('"op":"body"')).toHaveLength(2);
    await log.append(ledgerOf(["a", "b"], AT).log);
    expect(asData((await replayLedgerLog(log.path)).ledger?.log ?? [])).toEqual(
      asData(ledgerOf(["a", "b"], AT).log),
    );
    expect((await readLedgerHistory(dir.path)).oldest).toBe(AT);
  },
);

verifies(
  "ledger:log-sweep",
  "a young, damaged or running segment stays, and one whose last state cannot be kept",
  async () => {
    await using dir = await tempDir();
    const make = (tool: string, at: string) => run(dir.path, ledgerOf([tool], at));
    await aged(await make("young", isoDaysAgo(2)), dir.path, 2);
    const lively = await aged(await make("lively", isoDaysAgo(1)), dir.path, 50);
    const broken = await aged(await make("broken", isoDaysAgo(60)), dir.path, 60);
    await writeFile(dir.at(`${broken}.log`), "no record\n");
    const running = await aged(await make("running", isoDaysAgo(70)), dir.path, 70);
    await using _held = await openLedgerLog(dir.path, { segment: running });
    const refusing = await aged(await make("refusing", isoDaysAgo(80)), dir.path, 80);
    const keep = (): never => {
      throw new Error("the disk is full");
    };
    await using log = await openLedgerLog(dir.path, { sweep: { keep } });
    expect(log.swept).toEqual({ deleted: [], kept: [refusing, running, broken, lively] });
    expect(await listLedgerSegments(dir.path)).toHaveLength(6);
  },
);
