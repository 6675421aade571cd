import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { type BridgeEntry, BridgeLedger, type LogDisk, openLedgerLog, replayLedgerLog } from "induscode/deck";
import { expect } from "vitest";
import { openLastingLog } from "../../../src/boot/run/lasting-log.ts";
import { AT, sampleCapability } from "../ledger/sample-tools.ts";
import { unflushedLogDisk } from "./memory-log-disk.ts";

/** Each step enrolls a form of a tool, or retires what is live of it. */
const someSteps = fc.array(fc.record({ tool: fc.nat(2), form: fc.option(fc.nat(3), { nil: undefined }) }), {
  minLength: 1,
  maxLength: 40,
});
type Steps = readonly { readonly tool: number; readonly form: number | undefined }[];

/** Forms 0 and 1 have one key, the others another. */
const capabilityOf = (tool: number, form: number): ReturnType<typeof sampleCapability> =>
  sampleCapability("s", `t${tool}`, {
    description: `form ${form}`,
    inputSchema: { type: "object", title: form < 2 ? "a" : "b" },
  });

function ledgerOf(steps: Steps, first = BridgeLedger.empty()): BridgeLedger {
  return steps.reduce((ledger, { tool, form }) => {
    if (form !== undefined) return ledger.enroll({ capability: capabilityOf(tool, form), server: "s" }, AT);
    const live = [...ledger.snapshot.live].find(([, { name }]) => name === `s__t${tool}`);
    return live ? ledger.retire(live[0], "s", AT) : ledger;
  }, first);
}

const liveIn = (ledger: BridgeLedger | undefined): unknown =>
  [...(ledger?.snapshot.live ?? [])].map(([key, { fingerprint }]) => `${key} ${fingerprint}`).sort();
const changes = (entries: readonly BridgeEntry[] = []): number =>
  entries.reduce((sum, entry) => sum + (entry.op === "enroll" ? (entry.flips ?? 1) : 0), 0);
const formsIn = (entries: readonly BridgeEntry[] = []): unknown =>
  new Set(entries.flatMap(({ key, capability }) => (capability ? `${key} ${capability.fingerprint}` : [])));

verifies(
  "ledger:compact",
  "a compacted segment has the same tools live, every form, and every change counted",
  async () => {
    await using dir = await tempDir();
    await fc.assert(
      fc.asyncProperty(someSteps, someSteps, async (steps, more) => {
        const disk = unflushedLogDisk;
        const log = await openLedgerLog(dir.path, { disk });
        const ledger = ledgerOf(steps);
        await log.append(ledger.log);
        await log.append([{ op: "approve", server: "s", tool: "t0", at: AT, reason: "kept" }]);
        await log.close();
        const again = await openLedgerLog(dir.path, { disk, segment: log.segment, compact: true });
        expect(liveIn(again.ledger)).toEqual(liveIn(ledger));
        expect(changes(again.ledger.log)).toBe(changes(ledger.log));
        expect(formsIn(again.ledger.log)).toEqual(formsIn(ledger.log));
        const after = ledgerOf(more, again.ledger);
        await again.append(after.log.slice(again.ledger.log.length));
        await again.close();
        const notes: unknown[] = [];
        const replay = await replayLedgerLog(log.path, { onNote: (note) => notes.push(note) });
        expect(replay.state).toBe("whole");
        expect(liveIn(replay.ledger)).toEqual(liveIn(after));
        expect(notes).toMatchObject([{ op: "approve", reason: "kept" }]);
        await disk.remove(log.path); // Otherwise later runs search through hundreds of segments.
      }),
      { numRuns: 40 },
    );
  },
);

verifies(
  "ledger:compact",
  "wherever the disk fails or the process dies, everything acknowledged is there once",
  async () => {
    const steps = Array.from({ length: 60 }, (_, n) => ({ tool: 0, form: n % 2 }));
    const ledger = ledgerOf(steps);
    for (let failsAt = 0; ; failsAt++) {
      await using dir = await tempDir();
      const log = await openLedgerLog(dir.path, { disk: unflushedLogDisk });
      await log.append(ledger.log);
      await log.close();
      let step = 0;
      const disk = failingFrom(() => step++ >= failsAt);
      const opened = await openLedgerLog(dir.path, { disk, segment: log.segment, compact: true }).catch(
        () => undefined,
      );
      await opened?.close().catch(() => {});
      const replay = await replayLedgerLog(log.path);
      expect([failsAt, replay.state, liveIn(replay.ledger)]).toEqual([failsAt, "whole", liveIn(ledger)]);
      expect(changes(replay.ledger?.log)).toBe(60);
      expect([60, 3]).toContain(replay.ledger?.log.length);
      if (step <= failsAt) break; // Nothing failed any more.
    }
  },
);

/** A disk whose changes fail from some step on, as for a process that is killed there. */
function failingFrom(isOver: () => boolean): LogDisk {
  const check = (): void => {
    if (isOver()) throw Object.assign(new Error("the disk is gone"), { code: "EIO" });
  };
  const { rename } = unflushedLogDisk;
  return {
    ...unflushedLogDisk,
    open: async (path, mode) => {
      if (mode === "create" && path.endsWith(".compact")) check();
      const file = await unflushedLogDisk.open(path, mode);
      if (!path.endsWith(".compact")) return file;
      return {
        ...file,
        write: async (bytes, position) => {
          check();
          return file.write(bytes, position);
        },
        sync: async () => check(),
      };
    },
    remove: async (path) => {
      if (path.endsWith(".compact")) check();
      await unflushedLogDisk.remove(path);
    },
    rename: async (from, to) => {
      check();
      await rename?.(from, to);
    },
    syncFolder: async () => check(),
  };
}

verifies("ledger:compact", "the log of a long run stays small, and its numbers go on", async () => {
  await using dir = await tempDir();
  const log = await openLastingLog(dir.path, { disk: unflushedLogDisk, compactBytes: 4000 });
  let ledger = BridgeLedger.empty();
  let most = 0;
  for (let n = 0; n < 300; n++) {
    const after = ledgerOf([{ tool: n % 2, form: n % 3 }], ledger);
    await log.append(after.log.slice(ledger.log.length));
    ledger = after;
    most = Math.max(most, log.bytes);
    expect(log.nextSeq).toBe(ledger.nextSeq);
  }
  await log.close();
  expect(most).toBeLessThan(12_000);
  const replay = await replayLedgerLog(log.path);
  expect(liveIn(replay.ledger)).toEqual(liveIn(ledger));
  expect(changes(replay.ledger?.log)).toBe(300);
});
