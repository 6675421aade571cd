import { spawn } from "node:child_process";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import type { ProcessRow } from "indusagi/core";
import { expect } from "vitest";
import { signalProcess } from "../../../../src/core/process-tree/end/posix-tree-control.ts";
import { findMembers } from "../../../../src/core/process-tree/members/find-members.ts";
import { parseStat, procProcessTable } from "../../../../src/core/process-tree/members/proc-process-table.ts";
import { parsePsLine, psProcessTable } from "../../../../src/core/process-tree/members/ps-process-table.ts";

const row = (pid: number, rest: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  startTime: 100,
  state: "alive",
  ...rest,
});
const root = { pid: 10, startTime: 100 };
const nobody = (): boolean => false;
const pids = (rows: readonly ProcessRow[]): number[] => rows.map(({ pid }) => pid).sort((a, b) => a - b);

verifies(
  "tree:identity",
  "group, session, parent, memory and cookie each make a member; zombies are not members",
  () => {
    const rows = [
      row(10),
      row(11, { group: 10 }),
      row(12, { session: 10 }),
      row(13, { parent: 12 }),
      row(14),
      row(15, { parent: 14 }),
      row(16, { startTime: 300 }),
      row(17, { group: 10, state: "dead" }),
      row(18),
      row(19, { startTime: 99 }),
    ];
    const remembered = new Map([
      [14, 100],
      [16, 200],
    ]);
    const holdsCookie = ({ pid }: ProcessRow): boolean => pid === 18 || pid === 19;
    // 16 was remembered as another process; 19 holds the cookie but is older than the tree.
    expect(pids(findMembers(rows, { root, remembered }, holdsCookie).members)).toEqual([
      10, 11, 12, 13, 14, 15, 18,
    ]);
  },
);

verifies("tree:identity", "when the pid of the root is reused, its group is not ours", () => {
  const rows = [
    row(10, { startTime: 500 }),
    row(11, { group: 10, startTime: 501 }),
    row(12, { parent: 10, startTime: 502 }),
  ];
  expect(findMembers(rows, { root, remembered: new Map([[10, 100]]) }, nobody)).toEqual({
    members: [],
    isSure: true,
  });
});

verifies("tree:identity", "a process during exec makes the result unsure and is not a member", () => {
  const between = (): undefined => undefined;
  const sight = findMembers(
    [row(10), row(11), row(12, { startTime: 99 })],
    { root, remembered: new Map() },
    between,
  );
  expect(sight).toEqual({ members: [row(10)], isSure: false });
});

verifies("tree:identity", "children of members are members, and every member has a reason", () => {
  const table = fc.uniqueArray(
    fc.record({
      pid: fc.integer({ min: 2, max: 40 }),
      parent: fc.integer({ min: 1, max: 40 }),
      group: fc.integer({ min: 2, max: 40 }),
      session: fc.integer({ min: 2, max: 40 }),
      startTime: fc.integer({ min: 98, max: 104 }),
      state: fc.constantFrom("alive", "stopped", "dead"),
    }),
    { selector: ({ pid }) => pid, maxLength: 40 },
  );
  fc.assert(
    fc.property(table, fc.array(fc.integer({ min: 2, max: 40 })), (rows, holders) => {
      const found = new Set(
        findMembers(rows, { root, remembered: new Map() }, ({ pid }) => holders.includes(pid)).members,
      );
      for (const row of rows) {
        const parent = [...found].find(({ pid }) => pid === row.parent);
        if (parent && row.state !== "dead") expect(found.has(row)).toBe(true);
        if (!found.has(row)) continue;
        const trace = parent || row.group === 10 || row.session === 10 || holders.includes(row.pid);
        expect(Boolean(trace) && row.state !== "dead").toBe(true);
      }
    }),
  );
});

verifies(
  "tree:identity",
  "a process is signalled only if its start time is the one seen before",
  async () => {
    const child = spawn("sleep", ["100"]);
    const pid = child.pid ?? 0;
    const startTime = procProcessTable.startTimeOf(pid) ?? 0;
    expect(signalProcess(procProcessTable, { pid, startTime: startTime + 1 }, "SIGKILL")).toBe(false);
    expect(procProcessTable.startTimeOf(pid)).toBe(startTime);
    expect(signalProcess(procProcessTable, { pid, startTime }, "SIGKILL")).toBe(true);
    await new Promise((resolve) => child.once("exit", resolve));
    expect(signalProcess(procProcessTable, { pid, startTime }, "SIGKILL")).toBe(false);
    for (const nobody of [0, 1, -1, process.pid]) {
      const same = { startTimeOf: () => 7 };
      expect(signalProcess(same, { pid: nobody, startTime: 7 }, "SIGKILL")).toBe(false);
    }
  },
  { only: ["linux"] },
);

verifies(
  "tree:tables",
  "ps and /proc agree about processes that stay",
  () => {
    const proc = new Map(procProcessTable.list().map((one) => [one.pid, one]));
    const ps = psProcessTable.list();
    expect(ps.length).toBeGreaterThan(5);
    const self = ps.find(({ pid }) => pid === process.pid);
    expect(self).toMatchObject({ parent: process.ppid, group: proc.get(process.pid)?.group, state: "alive" });
    expect(psProcessTable.startTimeOf(process.pid)).toBe(self?.startTime);
    expect(psProcessTable.startTimeOf(2 ** 22 + 1)).toBeUndefined();
  },
  { only: ["linux"] },
);

verifies("tree:tables", "lines with hostile names and invalid lines are parsed correctly", () => {
  const fields = "S 1 10 9 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 7777 1 1";
  const threads = (count: number): string => fields.replace("S", "Z").replace("20 0 1", `20 0 ${count}`);
  expect(parseStat(`12 (a) b (c) ${fields}`)).toEqual({
    pid: 12,
    parent: 1,
    group: 10,
    session: 9,
    startTime: 7777,
    state: "alive",
  });
  expect(parseStat(`12 (z) ${threads(1)}`)?.state).toBe("dead");
  expect(parseStat(`12 (first thread gone) ${threads(2)}`)?.state).toBe("alive");
  expect(parseStat(`12 (t) ${fields.replace("S", "T")}`)?.state).toBe("stopped");
  expect(parseStat(`12 (kworker) ${fields.replace("4194304", "69238880")}`)).toBeUndefined();
  expect(parseStat("")).toBeUndefined();
  expect(parsePsLine("  12     1    10 Ss   Sat Nov 15 08:22:05 2025")).toMatchObject({
    pid: 12,
    parent: 1,
    group: 10,
  });
  expect(parsePsLine("nonsense")).toBeUndefined();
  fc.assert(fc.property(fc.string(), (text) => void [parseStat(text), parsePsLine(text)]));
});
