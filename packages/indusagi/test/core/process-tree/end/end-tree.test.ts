import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { endTree } from "../../../../src/core/process-tree/end/end-tree.ts";
import { createPosixTreeControl } from "../../../../src/core/process-tree/end/posix-tree-control.ts";
import type { TreeControl } from "../../../../src/core/process-tree/end/tree-control.ts";
import type { ProcessRow } from "../../../../src/core/process-tree/members/process-identity.ts";
import type { TreeRecord } from "../../../../src/core/process-tree/members/tree-record.ts";

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
