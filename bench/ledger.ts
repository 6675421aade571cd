import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BridgeCapability,
  BridgeLedger,
  bridgeUlidKey,
  openLedgerLog,
  reduceLedger,
  replayLedgerLog,
} from "induscode/deck";
import type { BenchCase } from "./case.ts";
import { figureOf, ratioOf } from "./measure.ts";

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

/** A ledger of different tools, each as large as a usual one. */
function differentTools(count: number): BridgeLedger {
  let ledger = BridgeLedger.empty();
  for (let index = 0; index < count; index += 1) {
    const inputSchema = {
      type: "object",
      properties: Object.fromEntries(
        ["path", "pattern", "limit", "offset", "recursive"].map((name) => [
          name,
          { type: "string", description: `The ${name} of the files that tool ${index} reads.` },
        ]),
      ),
      required: ["path"],
    };
    const definition = { name: `t${index}`, description: `Reads files, form ${index}.`, inputSchema };
    const tool = new BridgeCapability(
      {
        name: `fs__t${index}`,
        description: definition.description,
        parameters: { type: "object" },
        origin: { server: "fs", tool: definition.name },
        definition,
      },
      { run: () => Promise.reject(new Error("not called")) },
    );
    ledger = ledger.enroll({ capability: tool, server: "fs", key: keys[index]! }, AT);
  }
  return ledger;
}

async function inFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const replay: BenchCase = {
  id: "ledger-replay",
  summary: "replaying a segment of 20,000 different tools from the disk / JSON.parse of its lines",
  measure: () =>
    inFolder(async (folder) => {
      const log = await openLedgerLog(folder);
      await log.append(differentTools(20_000).log);
      await log.close();
      const bodies = readFileSync(log.path, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => line.slice(line.indexOf("{")));
      return ratioOf(
        { name: "replay", run: () => replayLedgerLog(log.path) },
        { name: "parse", run: () => bodies.map((body) => JSON.parse(body) as unknown) },
      );
    }),
};

const APPENDS = 200;

const durable: BenchCase = {
  id: "ledger-durable-append",
  summary: "200 durable appends, one tool each / 200 times write and fdatasync of as many bytes",
  measure: () =>
    inFolder(async (folder) => {
      const { log } = differentTools(APPENDS);
      const first = await openLedgerLog(folder);
      for (const entry of log) await first.append([entry]);
      const lines = readFileSync(first.path).toString("latin1").split("\n").slice(1, -1);
      const records = lines.map((line) => Buffer.from(`${line}\n`, "latin1"));
      await first.close();
      const ours = async (): Promise<void> => {
        // A new folder, where nothing is known: every record holds its tool.
        const own = mkdtempSync(join(folder, "log-"));
        await using writer = await openLedgerLog(own);
        for (const entry of log) await writer.append([entry]);
      };
      const theirs = async (): Promise<void> => {
        await using file = await open(join(mkdtempSync(join(folder, "raw-")), "raw"), "w");
        let at = 0;
        for (const record of records) {
          await file.write(record, 0, record.length, at);
          await file.datasync();
          at += record.length;
        }
      };
      return ratioOf({ name: "ours", run: ours }, { name: "raw", run: theirs });
    }),
};

export const ledgerCases: readonly BenchCase[] = [append, linear, fold, replay, durable];
