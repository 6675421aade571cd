import { atSize, isFullSize, recordFigure, spentMs, tempDir, verifies } from "@indus/testkit";
import { BridgeLedger, openLedgerLog, readLedgerLog, replayLedgerLog } from "induscode/deck";
import { expect } from "vitest";
import { AT, sampleCapability } from "../ledger/sample-tools.ts";

const COUNT = atSize({ quick: 10_000, full: 100_000 });

verifies(
  "ledger:log-large",
  "many entries are read one at a time and folded in less than a second",
  async () => {
    await using dir = await tempDir();
    const capability = sampleCapability("fs", "read");
    let ledger = BridgeLedger.empty();
    while (ledger.nextSeq <= COUNT) ledger = ledger.enroll({ capability, server: "fs" }, AT);
    await using writer = await openLedgerLog(dir.path);
    await writer.append(ledger.log);

    const before = process.memoryUsage().arrayBuffers;
    let heard = 0;
    let mostBytes = 0;
    const reading = await readLedgerLog(writer.path, () => {
      heard += 1;
      if (heard % 1000 === 0) mostBytes = Math.max(mostBytes, process.memoryUsage().arrayBuffers - before);
    });
    expect(reading).toMatchObject({ state: "whole", lastSeq: COUNT });
    expect(heard).toBe(COUNT);
    expect(mostBytes).toBeLessThan(64 * 1024 * 1024);

    const tookMs = await spentMs(async () => {
      const replay = await replayLedgerLog(writer.path);
      expect(replay.ledger?.snapshot.live.size).toBe(1);
    });
    if (isFullSize) expect(tookMs).toBeLessThan(2_000);
    recordFigure({
      what: "Ledger read back and folded",
      size: `${COUNT} entries, ${(reading.goodBytes / 1e6).toFixed(0)} MB`,
      found: `${tookMs.toFixed(0)} ms`,
    });
  },
);
