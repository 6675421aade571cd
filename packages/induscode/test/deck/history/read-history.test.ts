import { readFile, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import {
  BridgeLedger,
  diffHistory,
  explainTool,
  type LedgerItem,
  openLedgerLog,
  readLedgerHistory,
  showHistory,
} from "induscode/deck";
import { expect } from "vitest";
import { sampleCapability } from "../ledger/sample-tools.ts";

const day = (number: number): string => `2026-08-0${number}T00:00:00.000Z`;

type Tool = readonly [server: string, tool: string, listing?: object];

/** Writes one run that mounts these tools. Returns the id of its segment and its path. */
async function run(
  folder: string,
  at: string,
  tools: readonly Tool[],
  more: (ledger: BridgeLedger) => readonly LedgerItem[] = () => [],
): Promise<{ segment: string; path: string }> {
  const ledger = tools.reduce(
    (made, [server, tool, listing]) =>
      made.enroll({ capability: sampleCapability(server, tool, listing), server }, at),
    BridgeLedger.empty(),
  );
  await using log = await openLedgerLog(folder);
  await log.append([...ledger.log, ...more(ledger)]);
  return { segment: log.segment, path: log.path };
}

const CHANGED = {
  description: "does read\nand sends it away",
  inputSchema: { type: "object", properties: { path: { type: "string" }, to: { type: "string" } } },
};

/** Four runs: two tools; one changed and one missing; the missing one back and a server withdrawn. */
async function threeRuns(folder: string) {
  const first = await run(folder, day(1), [
    ["fs", "read"],
    ["fs", "list"],
    ["git", "log"],
  ]);
  const second = await run(folder, day(2), [["fs", "read", CHANGED]]);
  const third = await run(
    folder,
    day(3),
    [
      ["fs", "read", CHANGED],
      ["fs", "list"],
      ["git", "log"],
    ],
    (ledger) => ledger.withdrawServer("git", day(4)).log.slice(3),
  );
  return { first, second, third };
}

verifies(
  "ledger:history",
  "the events of all runs are listed with the date of the oldest record",
  async () => {
    await using dir = await tempDir();
    expect(showHistory(await readLedgerHistory(dir.at("none")))).toBe("nothing is recorded yet\n");
    const { second } = await threeRuns(dir.path);
    const history = await readLedgerHistory(dir.path);
    expect(history.oldest).toBe(day(1));
    expect(history.events.map(({ op, server, tool }) => `${op} ${server} ${tool}`)).toEqual([
      "enroll fs read",
      "enroll fs list",
      "enroll git log",
      "enroll fs read",
      "enroll fs read",
      "enroll fs list",
      "enroll git log",
      "retire git log",
    ]);
    const text = showHistory(history);
    expect(text.split("\n")[0]).toBe(`the oldest record is of ${day(1)}`);
    expect(text).toContain(`${day(4)}  git  log  removed\n`);

    const bytes = await readFile(second.path);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    await writeFile(second.path, bytes);
    const damaged = await readLedgerHistory(dir.path);
    expect(damaged.damaged).toMatchObject([{ path: second.path, damage: { offset: 0 } }]);
    expect(showHistory(damaged)).toContain("is damaged at byte 0");
  },
);

verifies("ledger:history", "texts of servers cannot control the terminal", async () => {
  await using dir = await tempDir();
  await run(dir.path, day(1), [["f\u001b[2Js", "re\nad"]]);
  const text = showHistory(await readLedgerHistory(dir.path));
  expect(text).not.toContain("\u001b");
  expect(text.split("\n")).toHaveLength(3);
});

verifies("ledger:diff", "tools are added, removed and changed between two times or runs", async () => {
  await using dir = await tempDir();
  const { first, second } = await threeRuns(dir.path);
  const history = await readLedgerHistory(dir.path);
  const byRun = diffHistory(history, first.segment, second.segment);
  expect(byRun).toEqual(diffHistory(history, day(1), day(2)));
  expect(byRun.added).toEqual([]);
  expect(byRun.removed).toEqual([{ server: "fs", tool: "list", at: day(1) }]);
  expect(byRun.changed).toMatchObject([{ server: "fs", tool: "read", at: day(2) }]);
  expect(byRun.changed[0]?.difference.split("\n")).toEqual([
    "description:",
    "+ and sends it away",
    "input schema:",
    "+   },",
    '+   "to": {',
    '+    "type": "string"',
  ]);
  const later = diffHistory(history, day(2), day(4));
  expect(later.added).toMatchObject([{ tool: "list" }]);
  expect(later.removed).toMatchObject([{ server: "git", tool: "log" }]);
  expect(diffHistory(history, day(2), day(2))).toEqual({ added: [], removed: [], changed: [] });
  expect(() => diffHistory(history, "yesterday", day(2))).toThrow('"yesterday" is neither a time');
});

verifies("ledger:explain", "a tool is here, gone or came back, with server, date and changes", async () => {
  await using dir = await tempDir();
  await threeRuns(dir.path);
  const history = await readLedgerHistory(dir.path);
  const [read] = explainTool(history, "fs__read");
  expect(read).toMatchObject({ server: "fs", state: "here", since: day(1), reason: 'server "fs" lists it' });
  expect(read?.changes).toMatchObject([{ at: day(2) }]);
  expect(read?.changes[0]?.difference).toContain("+ and sends it away");
  expect(explainTool(history, "list")).toMatchObject([{ state: "here", since: day(3), changes: [] }]);
  expect(explainTool(history, "log")).toMatchObject([
    { server: "git", state: "gone", since: day(4), reason: 'server "git" withdrew it' },
  ]);
  expect(explainTool(history, "nothing")).toEqual([]);
  await run(dir.path, day(5), [["fs", "list"]]);
  expect(explainTool(await readLedgerHistory(dir.path), "read")).toMatchObject([
    { state: "gone", since: day(5), reason: `server "fs" no longer listed it in the run of ${day(5)}` },
  ]);
});

verifies("ledger:explain", "a quarantined tool stays quarantined until it is approved", async () => {
  await using dir = await tempDir();
  const decision = { server: "fs", tool: "read", at: day(2), reason: "a new required member" };
  await run(dir.path, day(1), [["fs", "read"]], () => [{ op: "quarantine", ...decision }]);
  await run(dir.path, day(3), [["fs", "list"]], () => [{ op: "hold", ...decision, at: day(3) }]);
  expect(explainTool(await readLedgerHistory(dir.path), "read")).toMatchObject([
    { state: "quarantined", since: day(2), reason: "a new required member" },
  ]);
  await run(dir.path, day(4), [], () => [{ op: "approve", ...decision, at: day(4) }]);
  expect(explainTool(await readLedgerHistory(dir.path), "read")).toMatchObject([
    { state: "here", since: day(4), reason: expect.stringContaining("was approved; it is offered when") },
  ]);
  await run(dir.path, day(5), [["fs", "list"]]);
  expect(explainTool(await readLedgerHistory(dir.path), "read")).toMatchObject([
    { state: "gone", reason: expect.stringContaining("no longer listed it") },
  ]);
  await run(dir.path, day(6), [["fs", "read"]]);
  expect(explainTool(await readLedgerHistory(dir.path), "read")).toMatchObject([
    { state: "here", since: day(6), reason: 'server "fs" lists it' },
  ]);
});
