import { stat } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { createManualClock } from "indusagi/core";
import { type BridgeOptions, mountProtocolBridge } from "indusagi/interop";
import { createTableBox, type TableTool, type ToolBox } from "indusagi/runtime";
import {
  type BridgeEntry,
  BridgeLedger,
  bridgeToolNames,
  createDeckContext,
  DeckFault,
  followBridgeBox,
  type LedgerLog,
  type LiveBridge,
  openLedgerLog,
  provisionDeck,
  replayLedgerLog,
} from "induscode/deck";
import { expect, vi } from "vitest";
import { inProcess, scripted } from "../../../../indusagi/test/interop/kit/scripted.ts";
import { asData, echoRunner, sampleDescriptor } from "../ledger/sample-tools.ts";
import { faultyLogDisk } from "../ledger-log/faulty-log-disk.ts";
import { unflushedLogDisk } from "../ledger-log/memory-log-disk.ts";

/** The scripted server has so many tools. */
const TOOLS = 22;

/** Against a hang, not against a slow machine. */
const PATIENT = { timeout: 10_000 };

const tool = (name: string, listing: object = {}): TableTool => ({
  descriptor: sampleDescriptor("s", name, listing),
  run: echoRunner.run,
});

const shown = (entries: readonly BridgeEntry[]): string[] =>
  entries.map(({ op, server, capability }) => `${op} ${capability?.name ?? server}`);

async function mounted(options: BridgeOptions = {}) {
  const { box, fleet } = await mountProtocolBridge({ servers: [scripted("s")] }, options);
  return { box, fleet, [Symbol.asyncDispose]: () => fleet.tearDown() };
}

const call = (box: ToolBox, name: string) => box.runner.run({ id: "1", name, input: { text: "hi" } });

for (const era of ["legacy", "modern"] as const)
  verifies(
    "ledger:follow",
    `${era}: a tool that comes and goes is enrolled, retired, and in the deck's box`,
    async () => {
      await using bridge = await mounted({ transport: () => inProcess({ era }) });
      await using live = followBridgeBox(bridge.box);
      await using dir = await tempDir();
      await using deck = provisionDeck("all", createDeckContext(dir.path)).graft(live);
      const box = deck.intoToolBox();
      const names = (): string[] => box.descriptors().map(({ name }) => name);
      expect(live.ledger.log).toHaveLength(TOOLS);
      expect((await call(box, "s__echo")).output).toBe("hi");

      const events: string[][] = [];
      live.onChange((entries) => events.push(shown(entries)));
      await call(box, "s__change");
      await vi.waitFor(() => expect(names()).toContain("s__extra"), PATIENT);
      await call(box, "s__change");
      await vi.waitFor(() => expect(names()).not.toContain("s__extra"), PATIENT);
      expect(events).toEqual([["enroll s__extra"], ["retire s"]]);

      await bridge.fleet.removeServer("s");
      await vi.waitFor(() => expect(names().some((name) => name.startsWith("s__"))).toBe(false), PATIENT);
      expect(events[2]).toHaveLength(TOOLS);
      expect(live.list()).toEqual([]);

      await bridge.fleet.addServer(scripted("late"));
      await vi.waitFor(() => expect(names()).toContain("late__echo"), PATIENT);
      expect(live.ledger.snapshot.byServer).toEqual(new Map([["late", TOOLS]]));
    },
  );

verifies(
  "ledger:follow-restart",
  "a restarted and a crashed server with the same tools cause no event",
  async () => {
    await using bridge = await mounted({ supervision: { firstDelayMs: 1 } });
    await using live = followBridgeBox(bridge.box);
    const before = live.ledger;
    const pid = async (): Promise<unknown> => (await call(bridge.box, "s__pid")).output;
    const first = await pid();
    await bridge.fleet.restart("s");
    const second = await pid();
    await call(bridge.box, "s__die");
    const third = await pid();
    expect(new Set([first, second, third]).size).toBe(3);
    expect(live.ledger).toBe(before);
  },
);

verifies("ledger:follow", "whatever a box offers, exactly that is live, with the fewest events", () => {
  // A tool is a name and a version of its schema and its text.
  const version = fc.record({ schema: fc.integer({ max: 2, min: 0 }), text: fc.integer({ max: 2, min: 0 }) });
  const states = fc.array(fc.dictionary(fc.constantFrom("a", "b", "c", "d"), version), { maxLength: 8 });
  const cache = new Map<string, TableTool>();
  const versioned = (name: string, { schema, text }: { schema: number; text: number }): TableTool => {
    const id = `${name} ${schema} ${text}`;
    const made =
      cache.get(id) ??
      tool(name, { description: `text ${text}`, inputSchema: { type: "object", title: `${schema}` } });
    cache.set(id, made);
    return made;
  };
  fc.assert(
    fc.property(states, (sequence) => {
      const table = createTableBox();
      const live = followBridgeBox(table.box);
      let before: { readonly [name: string]: { schema: number; text: number } } = {};
      for (const state of sequence) {
        const events = live.ledger.log.length;
        table.replace(Object.entries(state).map(([name, made]) => versioned(name, made)));
        expect(live.list().map(({ descriptor }) => descriptor)).toHaveLength(Object.keys(state).length);
        expect(new Set(live.list().map(({ descriptor }) => descriptor))).toEqual(
          new Set(table.box.descriptors()),
        );
        expect(live.ledger.log.length - events).toBe(fewestEvents(before, state));
        before = state;
      }
      expect([...BridgeLedger.fromLog(live.ledger.log).snapshot.live]).toEqual([
        ...live.ledger.snapshot.live,
      ]);
    }),
  );
});

type State = { readonly [name: string]: { readonly schema: number; readonly text: number } };

/** One for a tool that is new, gone or has another text; two if its schema changed, because its key did. */
function fewestEvents(before: State, after: State): number {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].reduce((sum, name) => {
    const [old, now] = [before[name], after[name]];
    if (!old || !now) return sum + 1;
    if (old.schema !== now.schema) return sum + 2;
    return old.text === now.text ? sum : sum + 1;
  }, 0);
}

verifies(
  "ledger:follow",
  "a tool whose schema has no hash is offered all the same, and stays the same entry",
  () => {
    const deep: unknown[] = [];
    let inner = deep;
    for (let level = 0; level < 200_000; level += 1) inner.push((inner = []));
    const odd = tool("odd", { inputSchema: { enum: deep } });
    const table = createTableBox([odd]);
    const live = followBridgeBox(table.box);
    table.replace([odd, tool("other")]);
    expect(bridgeToolNames(live.ledger)).toEqual(["s__odd", "s__other"]);
    expect(live.ledger.log).toHaveLength(2);
  },
);

verifies(
  "ledger:follow-log",
  "the log has the events, and a continued one retires what is gone",
  async () => {
    await using dir = await tempDir();
    const table = createTableBox([tool("a"), tool("b")]);
    const log = await openLedgerLog(dir.path);
    const live = followBridgeBox(table.box, { log });
    table.replace([tool("b"), tool("c")]);
    await live.stored();
    table.replace([tool("c", { description: "new" })]);
    await live.close();
    table.replace([]);
    await log.close();
    const replay = await replayLedgerLog(log.path);
    expect(asData(replay.ledger?.log ?? [])).toEqual(asData(live.ledger.log));
    expect(bridgeToolNames(live.ledger)).toEqual(["s__c"]);

    await using again = await openLedgerLog(dir.path, { segment: log.segment });
    await using next = followBridgeBox(createTableBox([tool("d")]).box, { log: again });
    expect(shown(next.ledger.log.slice(live.ledger.log.length))).toEqual(["retire s", "enroll s__d"]);
    await next.stored();
    expect(again.nextSeq).toBe(next.ledger.nextSeq);
    const twice = (): LiveBridge => followBridgeBox(table.box, { log: again });
    expect(twice).toThrow(DeckFault);
    expect(twice).toThrow("follow one box per log");
  },
);

verifies(
  "ledger:follow-log",
  "a full disk is reported once, holds up no tool, and gets the events later",
  async () => {
    await using dir = await tempDir();
    const { disk, faults } = faultyLogDisk();
    await using log = await openLedgerLog(dir.path, { disk });
    const table = createTableBox([tool("a")]);
    const reports: string[] = [];
    await using live = followBridgeBox(table.box, { log, report: (message) => reports.push(message) });
    await live.stored();
    faults.fails.write = "ENOSPC";
    for (const name of ["b", "c"]) {
      table.replace([tool(name)]);
      expect(live.list().map((each) => each.name)).toEqual([`s__${name}`]);
      await live.stored();
    }
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatch(/^changes of the tools are not stored: /);
    expect((await replayLedgerLog(log.path)).ledger?.log).toHaveLength(1);
    delete faults.fails.write;
    table.replace([tool("d")]);
    await live.stored();
    expect(asData((await replayLedgerLog(log.path)).ledger?.log ?? [])).toEqual(asData(live.ledger.log));
    expect(live.ledger.log).toHaveLength(7);
  },
);

verifies(
  "ledger:follow-log",
  "many tools at once are stored in portions, other work has its turn between them, and a disk that fills up loses none",
  async () => {
    for (const fullAfter of [0, 1, 5, 49]) {
      await using dir = await tempDir();
      const { disk, faults } = faultyLogDisk();
      await using log = await openLedgerLog(dir.path, { disk });
      const portions: { readonly size: number; readonly turn: number }[] = [];
      let turn = 0;
      const append: LedgerLog["append"] = (items) => {
        if (portions.length === fullAfter) faults.fails.write = "ENOSPC";
        portions.push({ size: items.length, turn });
        setImmediate(() => void (turn += 1));
        return log.append(items);
      };
      const watched = Object.create(log, { append: { value: append } }) as LedgerLog;
      const table = createTableBox(Array.from({ length: 200 }, (_, index) => tool(`tool_${index}`)));
      await using live = followBridgeBox(table.box, { log: watched, report: () => {} });
      expect(portions).toEqual([]); // The change itself waits for nothing.
      await live.stored();
      delete faults.fails.write;
      await live.stored();
      expect(Math.max(...portions.map(({ size }) => size))).toBeLessThanOrEqual(4);
      expect(new Set(portions.map((portion) => portion.turn)).size).toBe(portions.length);
      expect(asData((await replayLedgerLog(log.path)).ledger?.log ?? [])).toEqual(asData(live.ledger.log));
    }
  },
);

verifies("ledger:follow-log", "a change right after a write is stored without another change", async () => {
  await using dir = await tempDir();
  await using log = await openLedgerLog(dir.path, { disk: unflushedLogDisk });
  const table = createTableBox();
  let steps = 0;
  let next: readonly TableTool[] | undefined;
  const append: LedgerLog["append"] = async (items) => {
    const flushed = log.append(items);
    void flushed.then(async () => {
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      if (next) table.replace(next);
      next = undefined;
    });
    return flushed;
  };
  const watched = Object.create(log, { append: { value: append } }) as LedgerLog;
  await using live = followBridgeBox(table.box, { log: watched });
  for (steps = 0; steps < 12; steps += 1) {
    next = [tool(`second_${steps}`)];
    table.replace([tool(`first_${steps}`)]);
    await vi.waitFor(() => expect(bridgeToolNames(live.ledger)).toEqual([`s__second_${steps}`]), PATIENT);
    await vi.waitFor(() => expect(log.nextSeq).toBe(live.ledger.nextSeq), PATIENT);
  }
});

verifies("ledger:follow-log", "a run with 1,000 known tools writes less than 100 KB", async () => {
  await using dir = await tempDir();
  const tools = Array.from({ length: 1000 }, (_, index) =>
    tool(`tool_${index}`, { description: "x".repeat(500) }),
  );
  const size = async (): Promise<number> => {
    await using log = await openLedgerLog(dir.path);
    await using live = followBridgeBox(createTableBox(tools).box, { log });
    await live.stored();
    expect(live.ledger.snapshot.live.size).toBe(1000);
    return (await stat(log.path)).size;
  };
  expect(await size()).toBeGreaterThan(500_000);
  expect(await size()).toBeLessThan(100_000);
});

verifies(
  "ledger:flips",
  "a log has the last form live and the number of changes, after a minute and at the end",
  async () => {
    await using dir = await tempDir();
    const clock = createManualClock();
    const forms = [tool("t", { description: "a" }), tool("t", { description: "b" })];
    const table = createTableBox([forms[0] as TableTool]);
    const log = await openLedgerLog(dir.path);
    const bridge = followBridgeBox(table.box, { log, clock });
    for (let n = 1; n <= 9; n++) table.replace([forms[n % 2] as TableTool]);
    await bridge.stored();
    const stored = async (): Promise<unknown> => {
      const { ledger } = await replayLedgerLog(log.path);
      const entries = ledger?.log.map((entry) =>
        entry.op === "enroll" ? (entry.flips ?? "enroll") : "retire",
      );
      return [entries, ledger?.liveCapabilities().map(({ description }) => description)];
    };
    expect(await stored()).toEqual([["enroll", "enroll"], ["b"]]);
    await clock.advance(60_000);
    await bridge.stored();
    expect(await stored()).toEqual([["enroll", "enroll", 8], ["b"]]);
    for (let n = 10; n <= 12; n++) table.replace([forms[n % 2] as TableTool]);
    await bridge.close();
    await log.close();
    expect(await stored()).toEqual([["enroll", "enroll", 8, 3], ["a"]]);
  },
);
