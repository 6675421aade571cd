import { verifies } from "@indus/testkit";
import type { ProcessRow } from "indusagi/core";
import { expect } from "vitest";
import { endTree } from "../../../../src/core/process-tree/end/end-tree.ts";
import {
  createPosixTreeControl,
  KnownMembers,
} from "../../../../src/core/process-tree/end/posix-tree-control.ts";
import type { TreeControl } from "../../../../src/core/process-tree/end/tree-control.ts";
import type { TreeRecord } from "../../../../src/core/process-tree/members/process-identity.ts";

const TREES = 40;
const WORK_MS = 5;

/** Records of trees whose processes do not exist: their numbers are above the largest that a system gives. */
function records(): TreeRecord[] {
  return Array.from({ length: TREES }, (_, index) => ({
    cookie: `cookie-${index}`,
    root: { pid: 2 ** 30 + index, startTime: 1 },
    remembered: new Map(),
    sinceMs: 0,
    rootExited: false,
  }));
}

function busy(): void {
  const untilMs = performance.now() + WORK_MS;
  while (performance.now() < untilMs);
}

verifies("tree:many", "many trees that end at once let other work run in between", async () => {
  let signals = 0;
  const control: TreeControl = {
    startTimeOf: () => 1,
    scan: () => {
      busy();
      return { members: [], isSure: true };
    },
    scanAll: () => {},
    signal: () => void signals++,
  };
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(records().map((tree) => endTree(tree, control, 0)));
  isOver = true;
  expect(signals).toBe(0);
  // Two scans each, and a turn after every few of them.
  expect(turns).toBeGreaterThan(TREES / 4);
});

verifies("tree:many", "the signals of one turn share one reading of the process table", async () => {
  let listings = 0;
  const row = ({ root: { pid, startTime } }: TreeRecord): ProcessRow => {
    return { pid, startTime, parent: 1, group: pid, session: pid, state: "alive" };
  };
  const trees = records();
  const control = createPosixTreeControl({
    list: () => {
      listings++;
      return trees.map(row);
    },
    startTimeOf: () => undefined,
    cookiesOf: () => "",
  });
  for (const tree of trees) control.signal(tree, "SIGTERM");
  expect(listings).toBe(1);
  expect(trees.map(({ remembered }) => remembered.size)).toEqual(trees.map(() => 1));
  await new Promise((resolve) => setImmediate(resolve));
  control.signal(trees[0] as TreeRecord, "SIGKILL");
  expect(listings).toBe(2);
});

verifies("tree:many", "scans share a listing, but two empty scans of a tree never the same one", () => {
  let listings = 0;
  const control = createPosixTreeControl({
    list: () => {
      listings++;
      busy();
      return [];
    },
    startTimeOf: () => undefined,
    cookiesOf: () => "",
  });
  const trees = records();
  for (const tree of trees) expect(control.scan(tree).members).toEqual([]);
  expect(listings).toBe(1);
  for (const tree of trees) control.scan(tree);
  expect(listings).toBe(2);
  // A listing from before its start says nothing about a tree.
  const young: TreeRecord = { ...(trees[0] as TreeRecord), sinceMs: performance.now() };
  control.scan(young);
  expect(listings).toBe(3);
});

verifies(
  "tree:many",
  "cookies are read of processes outside of the groups and sessions of all trees only, and find those that left theirs",
  () => {
    const [first, second] = records() as [TreeRecord, TreeRecord];
    const { pid: one } = first.root;
    const { pid: two } = second.root;
    const row = (pid: number, more: Partial<ProcessRow> = {}): ProcessRow => {
      return { pid, startTime: 1, parent: 1, group: pid, session: pid, state: "alive", ...more };
    };
    const rows = [
      row(one),
      row(two),
      row(7000, { group: one }),
      row(7001, { session: two }),
      row(7002, { parent: 7001 }),
      row(7003), // Left the first tree, but for its environment.
      row(7004), // Belongs to neither tree.
    ];
    const cookies = new Map([[7003, first.cookie]]);
    const read: number[] = [];
    const control = createPosixTreeControl({
      list: () => rows,
      startTimeOf: () => undefined,
      cookiesOf: ({ pid }) => {
        read.push(pid);
        return cookies.get(pid) ?? "";
      },
    });
    control.scanAll([first, second]);
    const members = (tree: TreeRecord): number[] => [...tree.remembered.keys()].toSorted((a, b) => a - b);
    expect(members(first)).toEqual([7000, 7003, one]);
    expect(members(second)).toEqual([7001, 7002, two]);
    expect([...new Set(read)]).toEqual([7002, 7003, 7004]);
    // A scan of one tree knows the others too.
    read.length = 0;
    control.scan(second);
    expect(read).not.toContain(one);
    const known = new KnownMembers();
    known.learn(rows, [first, second]);
    const looked = [row(7000), row(7000, { startTime: 2 }), row(7001), row(7004)];
    expect(looked.map((each) => known.isOfOther(second, each))).toEqual([true, false, false, false]);
  },
);

verifies(
  "tree:many",
  "a tree that does not know the start of its root keeps no process from another tree",
  () => {
    const [unsure, other] = records().map((tree, index) => ({
      ...tree,
      root: { ...tree.root, startTime: index },
    })) as [TreeRecord, TreeRecord];
    const stray: ProcessRow = {
      pid: 7000,
      startTime: 5,
      parent: 1,
      group: unsure.root.pid,
      session: 0,
      state: "alive",
    };
    const control = createPosixTreeControl({
      list: () => [stray],
      startTimeOf: () => undefined,
      cookiesOf: () => other.cookie,
    });
    control.scanAll([unsure, other]);
    expect([...other.remembered.keys()]).toEqual([7000]);
  },
);
