import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  type BridgeKey,
  BridgeLedger,
  bridgeContentKey,
  bridgeUlidKey,
  type LedgerSnapshot,
  reduceLedger,
} from "induscode/deck";
import { expect, vi } from "vitest";
import { AT, sampleCapability } from "./sample-tools.ts";

/** One operation of a session on its ledger. */
type Step =
  | { readonly do: "enroll"; readonly server: string; readonly tool: string; readonly message: string }
  | { readonly do: "retire"; readonly server: string; readonly tool: string }
  | { readonly do: "withdraw"; readonly server: string };

const server = fc.constantFrom("fs", "git", "web");
const tool = fc.constantFrom("a", "b", "c");
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("enroll" as const), server, tool, message: fc.string({ maxLength: 3 }) }),
    fc.record({ do: fc.constant("retire" as const), server, tool }),
    fc.record({ do: fc.constant("withdraw" as const), server }),
  ),
  { maxLength: 30 },
);

const keyOf = (server: string, tool: string): BridgeKey => bridgeContentKey(server, tool, null);

function take(ledger: BridgeLedger, step: Step): BridgeLedger {
  if (step.do === "withdraw") return ledger.withdrawServer(step.server, AT);
  const key = keyOf(step.server, step.tool);
  if (step.do === "retire") return ledger.retire(key, step.server, AT);
  const capability = sampleCapability(step.server, step.tool, { description: step.message });
  return ledger.enroll({ capability, server: step.server, key }, AT);
}

const ledgerOf = (taken: readonly Step[]): BridgeLedger => taken.reduce(take, BridgeLedger.empty());

/** A snapshot as lists, because comparing maps ignores the order. */
function inOrder({ live, owners, byServer, highWater }: LedgerSnapshot): unknown {
  const shown = [...live].map(([key, { descriptor }]) => [key, descriptor]);
  return { live: shown, owners: [...owners], byServer: [...byServer], highWater };
}

verifies("ledger:by-server", "the counts name the servers in the order of the live capabilities", () => {
  const counted = ({ owners }: LedgerSnapshot): unknown => {
    const counts = new Map<string, number>();
    for (const server of owners.values()) counts.set(server, (counts.get(server) ?? 0) + 1);
    return [...counts];
  };
  fc.assert(
    fc.property(steps, steps, (taken, later) => {
      const ledger = ledgerOf(taken);
      const { snapshot } = ledger;
      const newer = later.reduce(take, ledger).snapshot;
      for (const each of [newer, snapshot]) expect([...each.byServer]).toEqual(counted(each));
    }),
    { numRuns: 300 },
  );
});

verifies("ledger:fold", "the same entries in any order give the same snapshot", () => {
  const shuffled = steps.chain((taken) => {
    const { log } = ledgerOf(taken);
    return fc.tuple(fc.constant(log), fc.shuffledSubarray([...log], { minLength: log.length }));
  });
  fc.assert(
    fc.property(shuffled, ([log, mixed]) => {
      const before = [...mixed];
      expect(inOrder(reduceLedger(mixed))).toEqual(inOrder(reduceLedger(log)));
      expect(mixed).toEqual(before);
    }),
  );
});

verifies("ledger:fold", "entries with equal numbers give the same snapshot in any order, too", () => {
  const entries = fc
    .tuple(steps, fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 30, maxLength: 30 }))
    .map(([taken, seqs]) => ledgerOf(taken).log.map((entry, index) => ({ ...entry, seq: seqs[index] ?? 1 })));
  const shuffled = entries.chain((log) =>
    fc.tuple(fc.constant(log), fc.shuffledSubarray(log, { minLength: log.length })),
  );
  fc.assert(
    fc.property(shuffled, ([log, mixed]) => {
      expect(inOrder(reduceLedger(mixed))).toEqual(inOrder(reduceLedger(log)));
    }),
  );
});

verifies("ledger:fold", "entries that appear twice change nothing", () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const { log } = ledgerOf(taken);
      expect(inOrder(reduceLedger([...log, ...log]))).toEqual(inOrder(reduceLedger(log)));
    }),
  );
});

verifies("ledger:fold", "the fold equals a plain map that is changed step by step", () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const model = new Map<BridgeKey, string>();
      for (const step of taken) {
        if (step.do === "enroll") model.set(keyOf(step.server, step.tool), step.message);
        else if (step.do === "retire") model.delete(keyOf(step.server, step.tool));
        else for (const name of ["a", "b", "c"]) model.delete(keyOf(step.server, name));
      }
      const { live } = ledgerOf(taken).snapshot;
      expect([...live].map(([key, { description }]) => [key, description])).toEqual([...model]);
    }),
  );
});

verifies(
  "ledger:replay",
  "replaying the log gives the live ledger: view, order, counts and next number",
  () => {
    fc.assert(
      fc.property(steps, steps, (taken, later) => {
        const live = ledgerOf(taken);
        const replayed = BridgeLedger.fromLog(live.log);
        expect(replayed.nextSeq).toBe(live.nextSeq);
        expect(inOrder(replayed.snapshot)).toEqual(inOrder(live.snapshot));
        const [a, b] = [later.reduce(take, live), later.reduce(take, replayed)];
        expect(inOrder(b.snapshot)).toEqual(inOrder(a.snapshot));
        expect(b.log).toEqual(a.log);
      }),
    );
  },
);

verifies(
  "ledger:value",
  "numbers count up from 1 without a gap, and the snapshot is the fold of the log",
  () => {
    expect(BridgeLedger.empty()).toMatchObject({ log: [], nextSeq: 1 });
    expect(BridgeLedger.empty().snapshot.highWater).toBe(0);
    fc.assert(
      fc.property(steps, (taken) => {
        const { log, snapshot, nextSeq } = ledgerOf(taken);
        expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
        expect(nextSeq).toBe(log.length + 1);
        expect(inOrder(snapshot)).toEqual(inOrder(reduceLedger(log)));
      }),
    );
  },
);

verifies("ledger:value", "two ledgers made from the same one do not affect each other", () => {
  fc.assert(
    fc.property(steps, steps, steps, (taken, left, right) => {
      const base = ledgerOf(taken);
      const before = [...base.log];
      const a = left.reduce(take, base);
      const b = right.reduce(take, base);
      expect(base.log).toEqual(before);
      expect(base.nextSeq).toBe(before.length + 1);
      expect(inOrder(a.snapshot)).toEqual(inOrder(ledgerOf([...taken, ...left]).snapshot));
      expect(inOrder(b.snapshot)).toEqual(inOrder(ledgerOf([...taken, ...right]).snapshot));
    }),
  );
});

verifies(
  "ledger:upsert",
  "the same tool twice is live once; a changed tool under the same key keeps its place",
  () => {
    const request = { capability: sampleCapability("fs", "read"), server: "fs" };
    const other = { capability: sampleCapability("fs", "ls"), server: "fs" };
    const once = BridgeLedger.empty().enroll(request, AT).enroll(other, AT);
    const twice = once.enroll(
      { ...request, capability: sampleCapability("fs", "read", { title: "new" }) },
      AT,
    );
    expect(twice.log).toHaveLength(3);
    expect(twice.liveCapabilities().map(({ name }) => name)).toEqual(["fs__read", "fs__ls"]);
    expect(twice.liveCapabilities()[0]?.descriptor.definition?.["title"]).toBe("new");
    const [key] = [...twice.snapshot.live.keys()];
    const back = twice.retire(key!, "fs", AT).enroll(request, AT);
    expect(back.liveCapabilities().map(({ name }) => name)).toEqual(["fs__ls", "fs__read"]);
  },
);

verifies(
  "ledger:withdraw",
  "all tools of a server are removed, also those with explicit keys; an unknown key is only recorded",
  () => {
    const full = BridgeLedger.empty()
      .enroll({ capability: sampleCapability("a", "x"), server: "a" }, AT)
      .enroll({ capability: sampleCapability("a__b", "y"), server: "a__b" }, AT)
      .enroll({ capability: sampleCapability("a", "x"), server: "a", key: bridgeUlidKey() }, AT);
    expect(full.snapshot.byServer).toEqual(
      new Map([
        ["a", 2],
        ["a__b", 1],
      ]),
    );
    expect(full.liveCapabilitiesForServer("a")).toHaveLength(2);
    const left = full.withdrawServer("a", AT);
    expect(left.log.slice(3).map(({ op, server }) => [op, server])).toEqual([
      ["retire", "a"],
      ["retire", "a"],
    ]);
    expect(left.snapshot.byServer).toEqual(new Map([["a__b", 1]]));
    expect(left.withdrawServer("nobody", AT).log).toHaveLength(5);
    const recorded = left.retire(bridgeUlidKey(), "a", AT);
    expect(recorded.log).toHaveLength(6);
    expect(recorded.liveCapabilities()).toEqual(left.liveCapabilities());
  },
);

verifies("ledger:value", "enrolling twenty thousand tools one by one does not copy the log each time", () => {
  let ledger = BridgeLedger.empty();
  const capability = sampleCapability("fs", "read");
  for (let count = 0; count < 20_000; count += 1)
    ledger = ledger.enroll({ capability, server: "fs", key: bridgeUlidKey() }, AT);
  expect(ledger.withdrawServer("fs", AT).snapshot.live.size).toBe(0);
  expect(ledger.liveCapabilities()).toHaveLength(20_000);
});

verifies("faults:b19-ledger-order", "an earlier time stamp does not change the order of entries", () => {
  const first = { capability: sampleCapability("fs", "read", { description: "old" }), server: "fs" };
  const second = { capability: sampleCapability("fs", "read", { description: "new" }), server: "fs" };
  const { log } = BridgeLedger.empty()
    .enroll(first, "2026-07-28T10:00:00.000Z")
    .enroll(second, "2026-07-28T09:00:00.000Z");
  for (const entries of [log, log.toReversed()])
    expect(
      BridgeLedger.fromLog(entries)
        .liveCapabilities()
        .map(({ description }) => description),
    ).toEqual(["new"]);
});

verifies(
  "ledger:linear",
  "a snapshot after each append folds each entry once, and older snapshots stay as they were",
  () => {
    const LENGTH = 2000;
    let ledger = BridgeLedger.empty();
    const kept: LedgerSnapshot[] = [];
    const capability = sampleCapability("fs", "read");
    const set = vi.spyOn(Map.prototype, "set");
    try {
      for (let count = 1; count <= LENGTH; count += 1) {
        ledger = ledger.enroll({ capability, server: "fs", key: bridgeUlidKey() }, AT);
        expect(ledger.snapshot.live.size).toBe(count);
        if (count % 500 === 0) kept.push(ledger.snapshot);
      }
      // A fold from the start each time would set millions.
      expect(set.mock.calls.length).toBeLessThan(20 * LENGTH);
    } finally {
      set.mockRestore();
    }
    expect(kept.map(({ live, owners, byServer }) => [live.size, owners.size, byServer.get("fs")])).toEqual(
      [500, 1000, 1500, 2000].map((size) => [size, size, size]),
    );
  },
);

verifies("ledger:linear", "an iteration over a snapshot is not disturbed by newer snapshots", () => {
  fc.assert(
    fc.property(steps, steps, fc.nat({ max: 20 }), (taken, later, at) => {
      const base = ledgerOf(taken);
      const expected = [...ledgerOf(taken).snapshot.live.keys()];
      const seen: BridgeKey[] = [];
      for (const key of base.snapshot.live.keys()) {
        if (seen.length === at) void later.reduce(take, base).snapshot.live.size;
        seen.push(key);
      }
      expect(seen).toEqual(expected);
    }),
  );
});
