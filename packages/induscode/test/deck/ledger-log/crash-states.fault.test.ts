import { atSize, recordFigure, verifies } from "@indus/testkit";
import { type LastState, type LogDisk, openLedgerLog, replayLedgerLog } from "induscode/deck";
import { expect } from "vitest";
import { AT, asData, sampleLedger } from "../ledger/sample-tools.ts";
import { type DiskStep, diskAfter, recordingDisk } from "./recording-disk.ts";

const { log } = sampleLedger(6);
const DECISION = { op: "quarantine", server: "fs", tool: "t1", at: AT, before: "a", after: "b" } as const;

/** Two runs that write entries, a decision and references to each other's bodies. Returns what was acknowledged when. */
async function workload(
  disk: LogDisk,
  steps: readonly DiskStep[],
): Promise<{ path: string; acked: [number, number][] }> {
  const acked: [step: number, seq: number][] = [];
  const first = await openLedgerLog("/ledger", { disk });
  await first.append(log.slice(0, 3));
  await first.close();
  const second = await openLedgerLog("/ledger", { disk });
  for (const items of [log.slice(0, 2), [DECISION, ...log.slice(2, 4)], log.slice(4)]) {
    await second.append(items);
    acked.push([steps.length, second.nextSeq - 1]);
  }
  await second.close();
  return { path: second.path, acked };
}

verifies(
  "faults:b23-crash-states",
  "in every state that a power cut can leave, acknowledged entries are there and none is damaged",
  async () => {
    const recorder = recordingDisk();
    const { path, acked } = await workload(recorder.disk, recorder.steps);
    let states = 0;
    for (let count = 0; count <= recorder.steps.length; count += 1) {
      const safe = Math.max(0, ...acked.flatMap(([step, seq]) => (step <= count ? [seq] : [])));
      for (const rest of ["lost", "half", "written", "zeros"] as const) {
        const disk = diskAfter(recorder.steps.slice(0, count), rest);
        if (!(await disk.list("/ledger")).some((name) => path.endsWith(name))) {
          expect(safe).toBe(0);
          continue;
        }
        states += 1;
        const replay = await replayLedgerLog(path, { disk });
        expect(replay.state, `${rest} after ${count}`).not.toBe("corrupt");
        expect(replay.lastSeq, `${rest} after ${count}`).toBeGreaterThanOrEqual(safe);
        expect(asData(replay.ledger?.log ?? [])).toEqual(asData(log.slice(0, replay.lastSeq)));
      }
    }
    expect(states).toBeGreaterThan(atSize({ quick: 30, full: 30 }));
    recordFigure({
      what: "B23 ledger after a power cut",
      size: `${states} states, from the recorded writes and flushes`,
      found: "0 acknowledged entries lost, 0 damaged entries read",
    });
  },
);

verifies(
  "faults:b23-crash-states",
  "a sweep that is cut off at any step loses neither a state nor a description",
  async () => {
    const recorder = recordingDisk();
    const old = await openLedgerLog("/ledger", { disk: recorder.disk });
    await old.append(log.slice(0, 3));
    await old.close();
    const young = await openLedgerLog("/ledger", { disk: recorder.disk });
    await young.append(log.slice(0, 2));
    await young.close();
    const start = recorder.steps.length;
    let keptAt = Number.POSITIVE_INFINITY;
    const keep = (states: readonly LastState[]): void => {
      if (states.length === 3) keptAt = recorder.steps.length;
    };
    const clock = { nowMs: () => Date.parse("2027-12-01"), monotonicMs: () => 0, sleep: async () => {} };
    const log3 = await openLedgerLog("/ledger", { disk: recorder.disk, clock, sweep: { keep } });
    expect(log3.swept?.deleted).toContain(old.segment);
    await log3.close();
    for (let count = start; count <= recorder.steps.length; count += 1) {
      const disk = diskAfter(recorder.steps.slice(0, count), "lost");
      const names = await disk.list("/ledger");
      if (!names.includes(`${old.segment}.log`)) expect(keptAt).toBeLessThan(count);
      if (!names.includes(`${young.segment}.log`)) continue;
      const replay = await replayLedgerLog(young.path, { disk });
      expect(asData(replay.ledger?.log ?? []), `after ${count}`).toEqual(asData(log.slice(0, 2)));
    }
  },
);
