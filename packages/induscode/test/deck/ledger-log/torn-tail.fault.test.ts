import { readdir, readFile, writeFile } from "node:fs/promises";
import { atSize, recordFigure, tempDir, verifies } from "@indus/testkit";
import { openLedgerLog, replayLedgerLog } from "induscode/deck";
import { expect } from "vitest";
import { asData, sampleLedger } from "../ledger/sample-tools.ts";
import { unflushedLogDisk } from "./memory-log-disk.ts";

/** A segment with `count` entries: its id, path and bytes. */
async function writtenLog(
  folder: string,
  count: number,
): Promise<{ segment: string; path: string; bytes: Buffer }> {
  await using log = await openLedgerLog(folder);
  await log.append(sampleLedger(count).log);
  return { segment: log.segment, path: log.path, bytes: await readFile(log.path) };
}

/** The offset of the last line. */
const lastLineOf = (bytes: Buffer): number => bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;

verifies(
  "faults:b21-torn-tail",
  "a log cut off at any byte of the last record keeps the others, sets the rest aside and continues",
  async () => {
    await using dir = await tempDir();
    // Quick: the last record is short. Full: it is long.
    const count = atSize({ quick: 4, full: 3 });
    const { segment, path, bytes } = await writtenLog(dir.path, count);
    const { log } = sampleLedger(count + 1);
    const start = lastLineOf(bytes);
    for (let cut = start; cut < bytes.length; cut += 1) {
      await writeFile(path, bytes.subarray(0, cut));
      const replay = await replayLedgerLog(path);
      const state = cut === start ? "whole" : "torn";
      expect(replay, `cut at ${cut}`).toMatchObject({ state, lastSeq: count - 1, goodBytes: start });
      expect(asData(replay.ledger?.log ?? [])).toEqual(asData(log.slice(0, count - 1)));

      await using again = await openLedgerLog(dir.path, { disk: unflushedLogDisk, segment });
      const torn = again.setAside ? await readFile(again.setAside.path) : Buffer.alloc(0);
      expect(torn.equals(bytes.subarray(start, cut)), `set aside at ${cut}`).toBe(true);
      await again.append(log.slice(count - 1));
      await again.close();
      const after = await replayLedgerLog(path);
      expect(after.state).toBe("whole");
      expect(asData(after.ledger?.log ?? [])).toEqual(asData(log));
    }
    const kept = (await readdir(dir.path)).filter((name) => name.endsWith(".torn"));
    expect(kept).toHaveLength(bytes.length - start - 1);
    recordFigure({
      what: "B21 ledger cut off at every byte of its last record",
      size: `${bytes.length - start} places`,
      found: "0 entries lost, every tail kept",
    });
  },
  { timeoutMs: 60_000 },
);

verifies("faults:b21-torn-tail", "a segment cut off within its title starts again", async () => {
  await using dir = await tempDir();
  const { segment, path, bytes } = await writtenLog(dir.path, 0);
  for (const cut of [0, 1, 5, 20, bytes.length - 1]) {
    await writeFile(path, bytes.subarray(0, cut));
    expect(await replayLedgerLog(path)).toMatchObject({
      state: "torn",
      lastSeq: 0,
      goodBytes: 0,
      tornBytes: cut,
    });
    await using again = await openLedgerLog(dir.path, { disk: unflushedLogDisk, segment });
    await again.append(sampleLedger(1).log);
    expect(await replayLedgerLog(path)).toMatchObject({ state: "whole", lastSeq: 1 });
  }
});

verifies(
  "faults:b21-torn-tail",
  "zero bytes after a complete or a cut record, as a power cut leaves them, are a torn tail",
  async () => {
    await using dir = await tempDir();
    const { segment, path, bytes } = await writtenLog(dir.path, 3);
    const start = lastLineOf(bytes);
    for (const [cut, lastSeq] of [
      [bytes.length, 3],
      [bytes.length - 1, 2],
      [start + 30, 2],
      [start + 2, 2],
      [start, 2],
    ] as const) {
      await writeFile(path, Buffer.concat([bytes.subarray(0, cut), Buffer.alloc(100_000)]));
      expect(await replayLedgerLog(path), `cut at ${cut}`).toMatchObject({ state: "torn", lastSeq });
      await using again = await openLedgerLog(dir.path, { disk: unflushedLogDisk, segment });
      expect(again.setAside?.bytes).toBe(cut + 100_000 - (lastSeq === 3 ? bytes.length : start));
      expect(again.nextSeq).toBe(lastSeq + 1);
    }
  },
);
