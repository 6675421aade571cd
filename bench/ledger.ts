import { BridgeCapability, BridgeLedger, bridgeUlidKey, reduceLedger } from "induscode/deck";
import type { BenchCase } from "./case.ts";
import { figureOf } from "./measure.ts";

const EVENTS = 100_000;
const AT = "2026-07-28T09:30:00.000Z";

const capability = new BridgeCapability(
  { name: "fs__read", description: "reads", parameters: { type: "object" } },
  { run: () => Promise.reject(new Error("not called")) },
);
const keys = Array.from({ length: EVENTS }, () => bridgeUlidKey());

/** Appends the events one by one and reads a snapshot after every hundredth. */
function appended(events: number): BridgeLedger {
  let ledger = BridgeLedger.empty();
  let live = 0;
  for (const [index, key] of keys.slice(0, events).entries()) {
    ledger = ledger.enroll({ capability, server: "fs", key }, AT);
    if (index % 100 === 0) live += ledger.snapshot.live.size;
  }
  if (live === 0) throw new Error("no snapshot was read");
  return ledger;
}

function timedMs(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Has no base: the figure and the budget are milliseconds. */
const append: BenchCase = {
  id: "ledger-append-100000",
  summary: "100,000 appends with given keys and a snapshot after every hundredth, in milliseconds",
  measure: async () => figureOf(Array.from({ length: 9 }, () => timedMs(() => appended(EVENTS)))),
};

/** 2 would be exactly linear; 4 would be the square. */
const linear: BenchCase = {
  id: "ledger-append-linear",
  summary: "100,000 appends with snapshots / 50,000 appends with snapshots",
  measure: async () =>
    figureOf(
      Array.from({ length: 9 }, () => {
        const half = timedMs(() => appended(EVENTS / 2));
        return timedMs(() => appended(EVENTS)) / half;
      }),
    ),
};

/** Has no base: the figure and the budget are milliseconds. */
const fold: BenchCase = {
  id: "ledger-fold-100000",
  summary: "reduceLedger over 100,000 events, in milliseconds",
  measure: async () => {
    const { log } = appended(EVENTS);
    return figureOf(Array.from({ length: 9 }, () => timedMs(() => reduceLedger(log))));
  },
};

export const ledgerCases: readonly BenchCase[] = [append, linear, fold];
