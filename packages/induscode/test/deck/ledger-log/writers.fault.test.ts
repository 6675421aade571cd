import { readdir, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { atSize, recordFigure, tempDir, verifies } from "@indus/testkit";
import { BridgeLedger, listLedgerSegments, openLedgerLog, replayLedgerLog } from "induscode/deck";
import { afterAll, beforeAll, expect } from "vitest";
import { asData, sampleLedger } from "../ledger/sample-tools.ts";
import { buildLedgerProgram, type LedgerProgram } from "./ledger-program-host.ts";

let program: LedgerProgram;
beforeAll(async () => {
  program = await buildLedgerProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

verifies(
  "faults:b22-two-writers",
  "a second writer of a segment is refused while the first continues",
  async () => {
    await using dir = await tempDir();
    const writer = await openLedgerLog(dir.path);
    const { segment } = writer;
    const here = openLedgerLog(dir.path, { segment });
    await expect(here).rejects.toMatchObject({ kind: "locked" });
    await expect(here).rejects.toThrow(`process ${process.pid}`);
    const there = await program.start({ folder: dir.path, segment, entries: 1 }).ended();
    expect(there).toEqual([{ refused: "locked", at: 0 }]);
    await writer.append(sampleLedger(1).log);
    await writer.close();
    await (await openLedgerLog(dir.path, { segment })).close();
  },
);

verifies(
  "faults:b22-two-writers",
  "of several writers that open a segment at the same time one succeeds",
  async () => {
    await using dir = await tempDir();
    const { segment } = await closedLog(dir.path);
    for (let round = 0; round < atSize({ quick: 3, full: 50 }); round += 1) {
      await using a = program.start({ folder: dir.path, segment, entries: 0, stays: true });
      await using b = program.start({ folder: dir.path, segment, entries: 0, stays: true });
      await using c = program.start({ folder: dir.path, segment, entries: 0, stays: true });
      const asking = [a, b, c];
      await Promise.all(
        asking.map((one) => one.until((report) => "opened" in report || "refused" in report)),
      );
      const opened = asking.filter((one) => one.reports().some((report) => "opened" in report));
      expect(opened, `round ${round}`).toHaveLength(1);
    }
  },
);

verifies(
  "faults:b22-two-writers",
  "two processes write into one folder at the same time and lose nothing",
  async () => {
    await using dir = await tempDir();
    const entries = atSize({ quick: 200, full: 10_000 });
    const writers = [
      program.start({ folder: dir.path, entries }),
      program.start({ folder: dir.path, entries }),
    ];
    for (const writer of writers) expect((await writer.ended()).at(-1)).toEqual({ closed: true });
    const segments = await listLedgerSegments(dir.path);
    expect(segments).toHaveLength(2);
    const expected = asData(sampleLedger(entries).log);
    for (const { path } of segments) {
      const replay = await replayLedgerLog(path);
      expect(replay.state).toBe("whole");
      expect(asData(replay.ledger?.log ?? [])).toEqual(expected);
    }
    expect(await readdir(dir.path)).toHaveLength(2);
    recordFigure({
      what: "B22 two processes write a ledger at once",
      size: `2 × ${entries} entries, each flushed`,
      found: "0 lost, 0 mixed",
    });
  },
  { timeoutMs: atSize({ quick: 60_000, full: 15 * 60_000 }) },
);

verifies(
  "faults:b22-two-writers",
  "three processes append, one of them is killed, and no acknowledged entry is lost",
  async () => {
    await using dir = await tempDir();
    const entries = atSize({ quick: 100, full: 5_000 });
    await using victim = program.start({ folder: dir.path, entries: 1_000_000 });
    const others = [
      program.start({ folder: dir.path, entries }),
      program.start({ folder: dir.path, entries }),
    ];
    await victim.until((report) => "acked" in report && report.acked === entries / 2);
    const reports = await victim.kill();
    const acked = Math.max(...reports.map((report) => ("acked" in report ? report.acked : 0)));
    for (const writer of others) expect((await writer.ended()).at(-1)).toEqual({ closed: true });
    const opened = reports.flatMap((report) => ("opened" in report ? report.opened : []));
    const expected = sampleLedger(1_000 + Math.max(acked, entries)).log;
    for (const { id, path } of await listLedgerSegments(dir.path)) {
      const replay = await replayLedgerLog(path);
      const isVictim = opened.includes(id);
      expect(replay.state).not.toBe("corrupt");
      if (!isVictim) expect(replay.state).toBe("whole");
      expect(replay.lastSeq).toBeGreaterThanOrEqual(isVictim ? acked : entries);
      expect(asData(replay.ledger?.log ?? [])).toEqual(asData(expected.slice(0, replay.lastSeq)));
    }
    recordFigure({
      what: "B22 three processes write a ledger and one is killed",
      size: `2 × ${entries} entries, and ${acked} of the killed one`,
      found: "0 acknowledged entries lost",
    });
  },
  { timeoutMs: atSize({ quick: 60_000, full: 15 * 60_000 }) },
);

verifies("faults:b22-stale-lock", "the lock of a killed writer is removed by the next one", async () => {
  await using dir = await tempDir();
  const { segment } = await closedLog(dir.path);
  await using holder = program.start({ folder: dir.path, segment, entries: 3, stays: true });
  await holder.until((report) => "acked" in report && report.acked === 3);
  await expect(openLedgerLog(dir.path, { segment })).rejects.toMatchObject({ kind: "locked" });
  await holder.kill();
  expect((await readdir(dir.path)).filter((name) => name.endsWith(".lock"))).toHaveLength(1);
  await using next = await openLedgerLog(dir.path, { segment });
  expect(next.nextSeq).toBe(4);
});

verifies(
  "faults:b22-stale-lock",
  "a reused process id is not taken for the old process; the lock of another machine is respected",
  async () => {
    await using dir = await tempDir();
    const first = await openLedgerLog(dir.path);
    const { segment } = first;
    const [lock = ""] = (await readdir(dir.path)).filter((name) => name.endsWith(".lock"));
    await first.close();
    const [, place = "", pid = ""] = /\.([0-9a-f]+)-(\d+)-\w+\.lock$/.exec(lock) ?? [];
    expect(Number(pid)).toBe(process.pid);

    await writeFile(dir.at(`${segment}.${place}-${pid}-00000000x1.lock`), "");
    await (await openLedgerLog(dir.path, { segment })).close();
    expect(await readdir(dir.path)).toEqual([`${segment}.log`]);

    const foreign = `${segment}.${place === "00000000" ? "11111111" : "00000000"}-${pid}-00000000x1.lock`;
    await writeFile(dir.at(foreign), "");
    const refused = openLedgerLog(dir.path, { segment });
    await expect(refused).rejects.toMatchObject({ kind: "locked" });
    await expect(refused).rejects.toThrow(foreign);
  },
  { only: ["linux"] },
);

verifies(
  "faults:b23-kill",
  "a writer killed at any moment has lost no acknowledged entry, and the next one continues",
  async () => {
    await using dir = await tempDir();
    const kills = atSize({ quick: 15, full: 1_000 });
    let { segment, path } = await closedLog(dir.path);
    let known = 0;
    let unacknowledged = 0;
    let tails = 0;
    for (let round = 0; round < kills; round += 1) {
      await using writer = program.start({ folder: dir.path, segment, entries: 1_000_000 });
      await writer.until((report) => "opened" in report);
      await sleep(Math.random() * 40);
      const acked = (await writer.kill()).reduce(
        (most, report) => ("acked" in report ? report.acked : most),
        known,
      );
      const replay = await replayLedgerLog(path);
      expect(replay.state).not.toBe("corrupt");
      expect(replay.lastSeq).toBeGreaterThanOrEqual(acked);
      const log = replay.ledger?.log ?? [];
      expect(asData(log.slice(known))).toEqual(asData(sampleLedger(log.length).log.slice(known)));
      unacknowledged += replay.lastSeq - acked;
      tails += replay.state === "torn" ? 1 : 0;
      known = replay.lastSeq;
      // A new segment from time to time, because reading a whole segment takes most of the time.
      if (known > 2_000) {
        ({ segment, path } = await closedLog(dir.path));
        known = 0;
      }
    }
    recordFigure({
      what: "B23 kill -9 of a ledger's writer",
      size: `${kills} kills`,
      found: `0 acknowledged entries lost; ${unacknowledged} more were there, whole; ${tails} torn tails set aside`,
    });
  },
  { timeoutMs: atSize({ quick: 60_000, full: 15 * 60_000 }) },
);

async function closedLog(folder: string): Promise<{ segment: string; path: string }> {
  await using log = await openLedgerLog(folder);
  await log.append(BridgeLedger.empty().log);
  return { segment: log.segment, path: log.path };
}
