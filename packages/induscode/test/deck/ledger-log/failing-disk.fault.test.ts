import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { atSize, canMount, recordFigure, tempDir, verifies } from "@indus/testkit";
import {
  LedgerLogError,
  type LogDisk,
  listLedgerSegments,
  openLedgerLog,
  replayLedgerLog,
} from "induscode/deck";
import { afterAll, beforeAll, expect } from "vitest";
import { asData, sampleLedger } from "../ledger/sample-tools.ts";
import { faultyLogDisk } from "./faulty-log-disk.ts";
import { buildLedgerProgram, type LedgerProgram } from "./ledger-program-host.ts";

const { log } = sampleLedger(8);

verifies(
  "faults:b23-short-writes",
  "a disk that writes seven and reads five bytes at a time holds the same log",
  async () => {
    await using dir = await tempDir();
    const { disk, faults } = faultyLogDisk();
    faults.takes = 7;
    await using writer = await openLedgerLog(dir.path, { disk });
    await writer.append(log);
    faults.gives = 5;
    const replay = await replayLedgerLog(writer.path, { disk });
    expect(asData(replay.ledger?.log ?? [])).toEqual(asData(log));
  },
);

verifies(
  "faults:b23-short-writes",
  "a disk that takes nothing and reports nothing is a failure, not an endless wait",
  async () => {
    await using dir = await tempDir();
    const { disk, faults } = faultyLogDisk();
    await using writer = await openLedgerLog(dir.path, { disk });
    faults.takes = 0;
    await expect(writer.append(log)).rejects.toMatchObject({ kind: "io" });
  },
);

verifies(
  "faults:b23-full-disk",
  "a disk that is full at any byte acknowledges nothing and keeps no part of the entry",
  async () => {
    await using dir = await tempDir();
    const { disk, faults } = faultyLogDisk();
    await using writer = await openLedgerLog(dir.path, { disk });
    await writer.append(log.slice(0, 2));
    const before = await readFile(writer.path);
    const cases = atSize({ quick: 20, full: 200 });
    for (let room = 0; room < cases; room += 1) {
      faults.room = room;
      await expect(writer.append(log.slice(2, 4))).rejects.toMatchObject({
        kind: "no_space",
        path: writer.path,
      });
      expect((await readFile(writer.path)).equals(before), `room for ${room}`).toBe(true);
      expect(writer.nextSeq).toBe(3);
    }
    delete faults.room;
    await writer.append(log.slice(2));
    const replay = await replayLedgerLog(writer.path);
    expect(replay.state).toBe("whole");
    expect(asData(replay.ledger?.log ?? [])).toEqual(asData(log));
    recordFigure({
      what: "B23 ledger on a disk that becomes full",
      size: `${cases} times, each a byte later`,
      found: "0 acknowledged entries lost, 0 half records left",
    });
  },
);

verifies(
  "faults:b23-full-disk",
  "entries that wait behind a refused one are refused too, so that there is no gap",
  async () => {
    await using dir = await tempDir();
    const { disk, faults } = faultyLogDisk();
    await using writer = await openLedgerLog(dir.path, { disk });
    faults.room = 10;
    const outcomes = await Promise.allSettled(log.map((entry) => writer.append([entry])));
    expect(outcomes.map(({ status }) => status)).toEqual(log.map(() => "rejected"));
    delete faults.room;
    await Promise.all(log.map((entry) => writer.append([entry])));
    expect(await replayLedgerLog(writer.path)).toMatchObject({ state: "whole", lastSeq: 8 });
  },
);

verifies("faults:b23-full-disk", "a segment that cannot be created leaves no file and no lock", async () => {
  await using dir = await tempDir();
  const { disk, faults } = faultyLogDisk();
  faults.room = 5;
  await expect(openLedgerLog(dir.path, { disk })).rejects.toMatchObject({ kind: "no_space" });
  expect(await readdir(dir.path)).toEqual([]);
});

verifies(
  "faults:b23-full-disk",
  "without space to set a torn tail aside it stays in the segment",
  async () => {
    await using dir = await tempDir();
    const writer = await openLedgerLog(dir.path);
    await writer.append(log.slice(0, 2));
    await writer.close();
    const torn = Buffer.concat([await readFile(writer.path), Buffer.from("3 100 ")]);
    await writeFile(writer.path, torn);
    const { disk, faults } = faultyLogDisk();
    faults.room = 0;
    const { segment } = writer;
    await expect(openLedgerLog(dir.path, { disk, segment })).rejects.toMatchObject({ kind: "no_space" });
    expect((await readFile(writer.path)).equals(torn)).toBe(true);
    delete faults.room;
    await using again = await openLedgerLog(dir.path, { disk, segment });
    expect(again).toMatchObject({ nextSeq: 3, setAside: { bytes: 6 } });
  },
);

for (const operation of ["write", "sync"] as const) {
  verifies(
    "faults:b23-failed-flush",
    `after a ${operation} that failed, nothing is acknowledged until the log is opened again`,
    async () => {
      await using dir = await tempDir();
      const { disk, faults } = faultyLogDisk();
      const writer = await openLedgerLog(dir.path, { disk });
      await writer.append(log.slice(0, 2));
      faults.fails[operation] = "EIO";
      const outcomes = await Promise.allSettled(log.slice(2, 5).map((entry) => writer.append([entry])));
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: "rejected", reason: { kind: "io" } });
      // The disk works again, but the state of the earlier bytes is unknown.
      faults.fails = {};
      const asked = faults.asked.get("sync");
      await expect(writer.append(log.slice(2, 3))).rejects.toMatchObject({
        kind: "failed",
        cause: { kind: "io" },
      });
      expect(faults.asked.get("sync")).toBe(asked);
      await writer.close();

      await using again = await openLedgerLog(dir.path, { disk, segment: writer.segment });
      expect(asData(again.ledger.log)).toEqual(asData(log.slice(0, 2)));
      await again.append(log.slice(2));
      expect(await replayLedgerLog(writer.path)).toMatchObject({ state: "whole", lastSeq: 8 });
    },
  );
}

verifies(
  "faults:b23-failed-flush",
  "if the partial write cannot be cut off, the next process that opens the segment sets it aside",
  async () => {
    await using dir = await tempDir();
    const { disk, faults } = faultyLogDisk();
    const writer = await openLedgerLog(dir.path, { disk });
    await writer.append(log.slice(0, 2));
    faults.room = 50;
    faults.fails.truncate = "EIO";
    await expect(writer.append(log.slice(2, 3))).rejects.toMatchObject({ kind: "no_space" });
    await expect(writer.append(log.slice(2, 3))).rejects.toMatchObject({ kind: "failed" });
    await writer.close();
    await using again = await openLedgerLog(dir.path, { segment: writer.segment });
    expect(again).toMatchObject({ nextSeq: 3, setAside: { bytes: 50 } });
  },
);

verifies(
  "faults:b23-refused",
  "each error of the system becomes the matching error of the log, and leaves no lock",
  async () => {
    await using dir = await tempDir();
    const { disk, faults } = faultyLogDisk();
    const kinds = {
      EROFS: "read_only",
      EACCES: "no_permission",
      EDQUOT: "no_space",
      ENOSPC: "no_space",
      EIO: "io",
      EMFILE: "io",
    };
    for (const [code, kind] of Object.entries(kinds)) {
      for (const operation of ["makeFolder", "open", "write", "sync", "syncFolder"] as const) {
        faults.fails = { [operation]: code };
        await expect(openLedgerLog(dir.path, { disk }), `${code} ${operation}`).rejects.toMatchObject({
          kind,
        });
        expect(await readdir(dir.path), `${code} ${operation}`).toEqual([]);
      }
    }
    faults.fails = {};
    const missing = openLedgerLog(dir.path, { disk, segment: "01ARZ3NDEKTSV4RRFFQ69G5FAV" });
    await expect(missing).rejects.toMatchObject({ kind: "not_found" });
    await expect(openLedgerLog(dir.path, { segment: "../x" })).rejects.toMatchObject({ kind: "not_found" });
    await expect(replayLedgerLog(dir.at("no.log"))).rejects.toMatchObject({ kind: "not_found" });
    expect(await readdir(dir.path)).toEqual([]);
  },
);

verifies(
  "faults:b23-refused",
  "a folder, a pipe or a link instead of a segment is refused at once",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("folder.log"));
    execFileSync("mkfifo", [dir.at("pipe.log")]);
    await symlink(import.meta.filename, dir.at("link.log"));
    for (const name of ["folder.log", "pipe.log", "link.log"])
      await expect(replayLedgerLog(dir.at(name))).rejects.toMatchObject({ kind: "io" });
  },
  { only: ["linux", "darwin"] },
);

/** Opens, writes, closes and reopens a log on a disk where one operation fails. Returns how much was acknowledged. */
async function writeInTwoRuns(
  folder: string,
  disk: LogDisk,
): Promise<{ path: string | undefined; acked: number }> {
  let path: string | undefined;
  let segment: string | undefined;
  let acked = 0;
  for (const upTo of [4, 8]) {
    try {
      const run = await openLedgerLog(folder, { disk, ...(segment ? { segment } : {}) });
      ({ path, segment } = run);
      acked = Math.max(acked, run.nextSeq - 1);
      for (const entry of log.slice(run.nextSeq - 1, upTo)) {
        await run.append([entry]).then(
          () => (acked = entry.seq),
          () => {},
        );
      }
      await run.close();
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(LedgerLogError);
    }
  }
  return { path, acked };
}

verifies(
  "faults:b23-failed-flush",
  "whichever operation fails, all acknowledged entries are there, and none is partial",
  async () => {
    let failed = 0;
    for (const code of ["EIO", "ENOSPC", "EROFS"]) {
      for (let nth = 0; ; nth += 1) {
        await using dir = await tempDir();
        const { disk, faults } = faultyLogDisk();
        faults.nth = { left: nth, code };
        const { path, acked } = await writeInTwoRuns(dir.path, disk);
        const locks = (await readdir(dir.path)).filter((name) => name.endsWith(".lock"));
        expect(locks, `${code} at ${nth}`).toEqual([]);
        if (path) {
          const replay = await replayLedgerLog(path);
          expect(replay.state, `${code} at ${nth}`).not.toBe("corrupt");
          expect(replay.lastSeq).toBeGreaterThanOrEqual(acked);
          const found = replay.ledger?.log ?? [];
          expect(asData(found)).toEqual(asData(log.slice(0, found.length)));
        }
        if (faults.nth) break;
        failed += 1;
      }
    }
    expect(failed).toBeGreaterThan(50);
    recordFigure({
      what: "B23 ledger with the Nth disk operation failing",
      size: `${failed} failures (EIO, ENOSPC, EROFS)`,
      found: "0 acknowledged entries lost, 0 half records, 0 locks left",
    });
  },
);

let program: LedgerProgram;
beforeAll(async () => {
  program = await buildLedgerProgram();
});
afterAll(() => program[Symbol.asyncDispose]());

/** A command that runs another one with a disk of 64 KiB at `folder`. */
const withinTinyDisk = (folder: string): string[] => [
  "unshare",
  "--mount",
  "/bin/sh",
  "-c",
  'mount -t tmpfs -o size=64k tiny "$0" && "$@"; cp -r "$0"/. "$0.kept"',
  folder,
];

verifies(
  "faults:b23-full-disk",
  "a log on a real disk of 64 KiB refuses entries when it is full and keeps all acknowledged ones",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("disk"));
    await mkdir(dir.at("disk.kept"));
    const writer = program.start(
      { folder: dir.at("disk", "ledger"), entries: 5_000 },
      withinTinyDisk(dir.at("disk")),
    );
    const reports = await writer.ended();
    const acked = reports.flatMap((report) => ("acked" in report ? report.acked : []));
    expect(reports.at(-1)).toEqual({ refused: "no_space", at: acked.length + 1 });
    expect(acked.length).toBeGreaterThan(50);
    await chmod(dir.at("disk.kept"), 0o700);
    const [segment] = await listLedgerSegments(dir.at("disk.kept", "ledger"));
    expect(await replayLedgerLog(segment?.path ?? "")).toMatchObject({
      state: "whole",
      lastSeq: acked.length,
    });
    recordFigure({
      what: "B23 ledger on a tmpfs of 64 KiB",
      size: `${acked.length} entries until it was full`,
      found: "refused as no_space; 0 acknowledged entries lost",
    });
  },
  { when: canMount() },
);
