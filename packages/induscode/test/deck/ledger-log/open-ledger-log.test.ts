import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { createManualClock } from "indusagi/core";
import {
  BridgeCapability,
  BridgeLedger,
  type LogDisk,
  listLedgerSegments,
  localLogDisk,
  openLedgerLog,
  replayLedgerLog,
} from "induscode/deck";
import { expect } from "vitest";
import { AT, asData, echoRunner, sampleDescriptor, sampleLedger } from "../ledger/sample-tools.ts";

verifies("ledger:log-roundtrip", "entries of one run are replayed unchanged in another", async () => {
  await using dir = await tempDir();
  const folder = dir.at("state", "ledger");
  const { log } = sampleLedger(10);
  const writer = await openLedgerLog(folder, { clock: createManualClock(Date.parse(AT)) });
  expect(writer.nextSeq).toBe(1);
  await writer.append(log.slice(0, 3));
  await writer.append([]);
  await Promise.all([
    writer.append(log.slice(3, 4)),
    writer.append(log.slice(4, 9)),
    writer.append(log.slice(9)),
  ]);
  expect(writer.nextSeq).toBe(11);
  await writer.close();
  await writer.close();

  const replay = await replayLedgerLog(writer.path);
  expect(replay).toMatchObject({ state: "whole", lastSeq: 10 });
  expect(replay.title).toEqual({ ledger: 2, segment: writer.segment, pid: process.pid, at: AT });
  expect(asData(replay.ledger?.log ?? [])).toEqual(asData(log));
  expect(replay.ledger?.snapshot.byServer).toEqual(BridgeLedger.fromLog(log).snapshot.byServer);
});

verifies("ledger:log-roundtrip", "a reopened segment has its entries and continues after them", async () => {
  await using dir = await tempDir();
  const { log } = sampleLedger(6);
  const first = await openLedgerLog(dir.path);
  await first.append(log.slice(0, 4));
  await first.close();
  await using second = await openLedgerLog(dir.path, { segment: first.segment });
  expect(asData(second.ledger.log)).toEqual(asData(log.slice(0, 4)));
  expect(second.setAside).toBeUndefined();
  await second.append(log.slice(4));
  expect((await replayLedgerLog(first.path)).ledger?.log).toHaveLength(6);
});

verifies("ledger:log-roundtrip", "texts of any characters and members of any name survive", async () => {
  await using dir = await tempDir();
  const description = "line\nfeed \u0000 \u2028 \ud83d\ude00 lone \ud800 ümlaut";
  const inputSchema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"a b":{}}}',
  ) as object;
  const descriptor = sampleDescriptor("s p\u001b", "t", {
    description,
    inputSchema,
    _meta: { deep: [[[null]]] },
  });
  const capability = new BridgeCapability(descriptor, echoRunner);
  const ledger = BridgeLedger.empty().enroll({ capability, server: "s p\u001b" }, AT);
  await using writer = await openLedgerLog(dir.path);
  await writer.append(ledger.log);
  const replay = await replayLedgerLog(writer.path);
  expect(asData(replay.ledger?.log ?? [])).toEqual(asData(ledger.log));
});

verifies(
  "ledger:log-flushed",
  "no entry is acknowledged before its flush, and waiting entries share one",
  async () => {
    await using dir = await tempDir();
    const flushes: (() => void)[] = [];
    let isHeld = false;
    const disk: LogDisk = {
      ...localLogDisk,
      open: async (path, mode) => {
        const file = await localLogDisk.open(path, mode);
        const sync = async (): Promise<void> => {
          if (isHeld) await new Promise<void>((resolve) => flushes.push(resolve));
          await file.sync();
        };
        return { ...file, sync };
      },
    };
    const writer = await openLedgerLog(dir.path, { disk });
    isHeld = true;
    const acked: number[] = [];
    const appends = sampleLedger(5).log.map((entry) =>
      writer.append([entry]).then(() => acked.push(entry.seq)),
    );
    await expect.poll(() => flushes).toHaveLength(1);
    expect((await replayLedgerLog(writer.path)).lastSeq).toBe(1);
    expect(acked).toEqual([]);
    flushes[0]?.();
    await expect.poll(() => flushes).toHaveLength(2);
    expect((await replayLedgerLog(writer.path)).lastSeq).toBe(5);
    expect(acked).toEqual([1]);
    flushes[1]?.();
    await Promise.all(appends);
    expect(acked).toEqual([1, 2, 3, 4, 5]);
    await writer.close();
    expect(flushes).toHaveLength(2);
  },
);

verifies(
  "ledger:capability",
  "a replayed tool has its description, and a call of it names the server",
  async () => {
    await using dir = await tempDir();
    await using writer = await openLedgerLog(dir.path);
    await writer.append(sampleLedger(1).log);
    const [capability] = (await replayLedgerLog(writer.path)).ledger?.liveCapabilities() ?? [];
    expect(capability?.name).toBe("fs__t1");
    const result = await capability?.run({});
    expect(result?.isError).toBe(true);
    expect(JSON.stringify(result?.content)).toContain('server \\"fs\\" is not connected');
  },
);

verifies(
  "ledger:log-segments",
  "runs at the same time write separate segments; other files are ignored",
  async () => {
    await using dir = await tempDir();
    expect(await listLedgerSegments(dir.at("nowhere"))).toEqual([]);
    const runs = [
      await openLedgerLog(dir.path),
      await openLedgerLog(dir.path),
      await openLedgerLog(dir.path),
    ];
    const { log } = sampleLedger(5);
    await Promise.all(runs.map((run) => run.append(log)));
    await writeFile(dir.at("notes.txt"), "");
    await mkdir(dir.at("x.log"));
    const segments = await listLedgerSegments(dir.path);
    expect(segments).toEqual(runs.map(({ segment, path }) => ({ id: segment, path })));
    for (const { path } of segments)
      expect(await replayLedgerLog(path)).toMatchObject({ state: "whole", lastSeq: 5 });
    await Promise.all(runs.map((run) => run.close()));
  },
);

verifies(
  "ledger:log-order",
  "entries that are out of order are refused, and the log stays usable",
  async () => {
    await using dir = await tempDir();
    const { log } = sampleLedger(3);
    await using writer = await openLedgerLog(dir.path);
    await expect(writer.append(log.slice(1))).rejects.toMatchObject({ kind: "out_of_order" });
    await expect(writer.append([...log, ...log])).rejects.toMatchObject({ kind: "out_of_order" });
    expect(await writer.append(log)).toEqual({ refused: [] });
    expect(await replayLedgerLog(writer.path)).toMatchObject({ state: "whole", lastSeq: 3 });
  },
);

verifies(
  "ledger:log-order",
  "a closed log refuses entries, and settles those that were waiting",
  async () => {
    await using dir = await tempDir();
    const { log } = sampleLedger(2);
    const writer = await openLedgerLog(dir.path);
    const underWay = writer.append(log.slice(0, 1));
    await writer.close();
    await underWay;
    await expect(writer.append(log.slice(1))).rejects.toMatchObject({ kind: "closed" });
  },
);

verifies(
  "ledger:log-private",
  "only the owner can read folder and files, and no lock is left",
  async () => {
    await using dir = await tempDir();
    const writer = await openLedgerLog(dir.at("ledger"));
    await writer.append(sampleLedger(1).log);
    await writer.close();
    expect((await stat(dir.at("ledger"))).mode & 0o777).toBe(0o700);
    expect((await stat(writer.path)).mode & 0o777).toBe(0o600);
    expect(await listLedgerSegments(dir.at("ledger"))).toHaveLength(1);
    expect((await readFile(writer.path, "utf8")).split("\n")).toHaveLength(3);
  },
  { only: ["linux", "darwin"] },
);
