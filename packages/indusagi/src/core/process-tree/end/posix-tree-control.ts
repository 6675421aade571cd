import { findMembers, type Sight } from "../members/find-members.ts";
import type { ProcessIdentity, ProcessRow, ProcessTable } from "../members/process-identity.ts";
import type { TreeRecord } from "../members/tree-record.ts";
import type { TreeControl } from "./tree-control.ts";

/** Trees on systems with process groups, seen through the given table. */
export function createPosixTreeControl(table: ProcessTable): TreeControl {
  const find = (rows: readonly ProcessRow[], tree: TreeRecord): Sight => {
    const sight = findMembers(rows, tree, (pid) => table.environmentHolds(pid, tree.cookie));
    tree.remembered = new Map(sight.members.map((row) => [row.pid, row.startTime]));
    return sight;
  };
  return {
    startTimeOf(pid) {
      try {
        return table.startTimeOf(pid);
      } catch {
        return undefined;
      }
    },
    look(tree) {
      const rows = listed(table);
      if (rows) return find(rows, tree);
      // When nothing can be read, those last seen count as still there.
      return { members: [...tree.remembered].map(([pid, startTime]) => ({ pid, startTime })), isSure: false };
    },
    lookAtAll(trees) {
      const rows = listed(table);
      if (rows) for (const tree of trees) find(rows, tree);
    },
    signal(tree, signal) {
      const rows = listed(table);
      if (!rows) {
        // A number that was not waited for yet cannot have been given away.
        if (!tree.rootExited) send(-tree.root.pid, signal);
        return;
      }
      const { members } = find(rows, tree);
      // The group at one blow first: its members cannot fork out of it between two single signals.
      if (members.some((row) => row.group === tree.root.pid)) send(-tree.root.pid, signal);
      for (const row of members) {
        if (row.group !== tree.root.pid) signalProcess(table, row, signal);
        // Whoever is stopped gets any other signal only when it is let go on.
        if (row.state === "stopped" && signal !== "SIGKILL" && signal !== "SIGSTOP")
          signalProcess(table, row, "SIGCONT");
      }
    },
  };
}

/** Signals a process if the number still means that process. Says whether it did. */
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

function listed(table: ProcessTable): ProcessRow[] | undefined {
  try {
    return table.list();
  } catch {
    return undefined;
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  // 0, 1 and -1 are not processes of ours in any world: they mean our own group, init, and everybody.
  if (Math.abs(pid) <= 1 || pid === process.pid) return false;
  try {
    return process.kill(pid, signal);
  } catch {
    // Gone meanwhile, or not ours to signal: the next look decides.
    return false;
  }
}
