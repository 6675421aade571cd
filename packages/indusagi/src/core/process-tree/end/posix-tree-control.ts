import { type FoundMembers, findMembers } from "../members/find-members.ts";
import type { ProcessIdentity, ProcessRow, ProcessTable } from "../members/process-identity.ts";
import type { TreeRecord } from "../members/tree-record.ts";
import { KnownMembers } from "./known-members.ts";
import { SharedListings } from "./shared-listings.ts";
import type { TreeControl } from "./tree-control.ts";

/** Controls trees on systems with process groups, using the given process table. */
export function createPosixTreeControl(table: ProcessTable): TreeControl {
  const known = new KnownMembers();
  const find = (rows: readonly ProcessRow[], tree: TreeRecord): FoundMembers => {
    const found = findMembers(
      rows,
      tree,
      (row) => !known.isOfOther(tree, row) && table.cookiesOf(row)?.includes(tree.cookie),
    );
    tree.remembered = new Map(found.members.map((row) => [row.pid, row.startTime]));
    return found;
  };
  const listings = new SharedListings(table);
  return {
    startTimeOf(pid) {
      try {
        return table.startTimeOf(pid);
      } catch {
        return undefined;
      }
    },
    scan(tree) {
      const rows = listings.forScan(tree);
      if (rows) {
        const found = find(rows, tree);
        if (found.members.length === 0) listings.foundNone(tree);
        return found;
      }
      // If the table cannot be read, the members seen last count as still there.
      return { members: [...tree.remembered].map(([pid, startTime]) => ({ pid, startTime })), isSure: false };
    },
    scanAll(trees) {
      const rows = listings.read();
      if (!rows) return;
      known.learn(rows, trees);
      for (const tree of trees) find(rows, tree);
    },
    signal(tree, signal) {
      const rows = listings.forSignal();
      if (!rows) {
        // The pid cannot have been reused before the exit was reported.
        if (!tree.rootExited) send(-tree.root.pid, signal);
        return;
      }
      const { members } = find(rows, tree);
      // The whole group first: members cannot fork between two single signals then.
      if (members.some((row) => row.group === tree.root.pid)) send(-tree.root.pid, signal);
      for (const row of members) {
        if (row.group !== tree.root.pid) signalProcess(table, row, signal);
        // A stopped process gets other signals only after SIGCONT.
        if (row.state === "stopped" && signal !== "SIGKILL" && signal !== "SIGSTOP")
          signalProcess(table, row, "SIGCONT");
      }
    },
  };
}

/** Signals a process if its pid has not been reused. Returns whether the signal was sent. */
export function signalProcess(
  table: Pick<ProcessTable, "startTimeOf">,
  { pid, startTime }: ProcessIdentity,
  signal: NodeJS.Signals,
): boolean {
  try {
    return table.startTimeOf(pid) === startTime && send(pid, signal);
  } catch {
    return false;
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  // Never our processes: 0 is our own group, 1 is init and -1 is every process.
  if (Math.abs(pid) <= 1 || pid === process.pid) return false;
  try {
    return process.kill(pid, signal);
  } catch {
    // It has ended, or may not be signalled: the next scan decides.
    return false;
  }
}
