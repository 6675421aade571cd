import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { type BridgeEntry, BridgeLedger } from "induscode/deck";
import { expect } from "vitest";
import { FlipThrottle } from "../../../src/deck/attach/flip-throttle.ts";
import { reconcileLedger } from "../../../src/deck/attach/reconcile-ledger.ts";
import { AT, sampleCapability } from "../ledger/sample-tools.ts";

/** The same object for the same form, as a box has it. */
const FORMS = new Map<string, ReturnType<typeof sampleCapability>>();
function form(tool: number, text: number): ReturnType<typeof sampleCapability> {
  const id = `${tool} ${text}`;
  // The first form has another key than the others, which have the same.
  const inputSchema = { type: "object", title: text === 0 ? "a" : "b" };
  const known =
    FORMS.get(id) ?? sampleCapability("s", `t${tool}`, { description: `form ${text}`, inputSchema });
  FORMS.set(id, known);
  return known;
}

const liveIn = (ledger: BridgeLedger): unknown =>
  [...ledger.snapshot.live]
    .map(([key, { fingerprint }]) => [key, fingerprint, ledger.snapshot.owners.get(key)])
    .sort();
const numbered = (entries: readonly BridgeEntry[]): BridgeEntry[] =>
  entries.map((entry, index) => ({ ...entry, seq: index + 1 }));

/** At each step every tool has a form, or is absent. */
const someSteps = fc.array(
  fc.record({
    waitMs: fc.constantFrom(0, 100, 20_000, 59_999, 60_000, 200_000),
    forms: fc.array(fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }), {
      minLength: 3,
      maxLength: 3,
    }),
  }),
  { maxLength: 30 },
);

verifies(
  "ledger:flips",
  "for any sequence of forms, the thinned log has the same tools live, and counts every change",
  () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        let ledger = BridgeLedger.empty();
        const throttle = new FlipThrottle();
        const log: BridgeEntry[] = [];
        const times = new Map<string, number[]>();
        let nowMs = 0;
        const store = (entries: readonly BridgeEntry[]): void => {
          for (const entry of entries) {
            log.push(entry);
            if (!entry.capability || entry.flips === undefined) continue;
            const { name } = entry.capability;
            times.set(name, [...(times.get(name) ?? []), nowMs]);
          }
        };
        for (const { waitMs, forms } of steps) {
          nowMs += waitMs;
          const due = throttle.dueMs;
          store(throttle.release(nowMs));
          if (due !== undefined && due <= nowMs) expect(throttle.dueMs ?? Infinity).toBeGreaterThan(nowMs);
          const offered = forms.flatMap((text, tool) => (text === undefined ? [] : [form(tool, text)]));
          const after = reconcileLedger(ledger, offered, { at: AT });
          store(throttle.take(after.log.slice(ledger.log.length), nowMs));
          ledger = after;
        }
        store(throttle.release(nowMs, true));
        expect(throttle.dueMs).toBeUndefined();
        const stored = BridgeLedger.fromLog(numbered(log));
        expect(liveIn(stored)).toEqual(liveIn(ledger));
        // Each enroll event is an entry of its own or counted by one.
        const count = (entries: readonly BridgeEntry[]): number =>
          entries.reduce((sum, entry) => sum + (entry.op === "enroll" ? (entry.flips ?? 1) : 0), 0);
        expect(count(log)).toBe(count(ledger.log));
        // Every form that was ever live is in the log.
        const keys = (entries: readonly BridgeEntry[]): unknown =>
          new Set(
            entries.flatMap(({ key, capability }) => (capability ? `${key} ${capability.fingerprint}` : [])),
          );
        expect(keys(log)).toEqual(keys(ledger.log));
      }),
      { numRuns: 150 },
    );
  },
);

verifies("ledger:flips", "tools that alternate for five minutes are stored once a minute", () => {
  const throttle = new FlipThrottle();
  let ledger = BridgeLedger.empty();
  let entries = 0;
  for (let tenths = 0; tenths < 10 * 60 * 5; tenths += 10) {
    const offered = Array.from({ length: 10 }, (_, tool) => form(tool, (tenths / 10) % 2));
    const after = reconcileLedger(ledger, offered, { at: AT });
    entries +=
      throttle.release(tenths * 100).length +
      throttle.take(after.log.slice(ledger.log.length), tenths * 100).length;
    ledger = BridgeLedger.fromLog(after.log.slice(-20)); // The whole would only cost time here.
  }
  // The first two forms, then at most a retire and an enroll for each tool and minute.
  expect(entries).toBeLessThanOrEqual(10 * 3 + 5 * 20);
});
