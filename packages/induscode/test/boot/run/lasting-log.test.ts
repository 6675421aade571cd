import { tempDir, verifies } from "@indus/testkit";
import { createTableBox } from "indusagi/runtime";
import { followBridgeBox, replayLedgerLog } from "induscode/deck";
import { expect } from "vitest";
import { openLastingLog } from "../../../src/boot/run/lasting-log.ts";
import { AT, asData, echoRunner, sampleDescriptor, sampleLedger } from "../../deck/ledger/sample-tools.ts";
import { faultyLogDisk } from "../../deck/ledger-log/faulty-log-disk.ts";

const { log: entries } = sampleLedger(6);
const DECISION = { op: "hold", server: "fs", tool: "t1", at: AT } as const;

for (const operation of ["write", "sync"] as const)
  verifies(
    "faults:b23-reopened",
    `the log of a run goes on after a ${operation} that failed, without a restart`,
    async () => {
      await using dir = await tempDir();
      const { disk, faults } = faultyLogDisk();
      const log = await openLastingLog(dir.path, { disk });
      await log.append(entries.slice(0, 2));
      faults.fails[operation] = "EIO";
      await expect(log.append(entries.slice(2, 4))).rejects.toMatchObject({ kind: "io" });
      expect(log.nextSeq).toBe(3);
      await expect(log.append(entries.slice(2, 4))).rejects.toMatchObject({ path: log.path }); // Still broken.
      faults.fails = {};
      await Promise.all([log.append([DECISION]), log.append(entries.slice(2))]);
      expect(log.nextSeq).toBe(7);
      await log.close();
      const replay = await replayLedgerLog(log.path);
      expect(replay.state).toBe("whole");
      expect(asData(replay.ledger?.log ?? [])).toEqual(asData(entries));
    },
  );

verifies(
  "faults:b23-reopened",
  "what a followed box changed while the disk failed is stored later",
  async () => {
    await using dir = await tempDir();
    const { disk, faults } = faultyLogDisk();
    const log = await openLastingLog(dir.path, { disk });
    const tool = (name: string) => ({ descriptor: sampleDescriptor("s", name), run: echoRunner.run });
    const table = createTableBox([tool("a")]);
    const live = followBridgeBox(table.box, { log });
    await live.stored();
    faults.fails.sync = "EIO";
    table.replace([tool("b")]);
    await live.stored();
    faults.fails = {};
    table.replace([tool("c")]);
    await live.close();
    await log.close();
    const replay = await replayLedgerLog(log.path);
    expect(replay.ledger?.liveCapabilities().map(({ name }) => name)).toEqual(["s__c"]);
    expect(replay.lastSeq).toBe(5); // Every change is there.
  },
);
