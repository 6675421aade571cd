import { type FoundMembers, findMembers } from "../members/find-members.ts";
import type { ProcessIdentity, ProcessRow, ProcessTable, TreeRecord } from "../members/process-identity.ts";
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
      // Only for what is new: ending a tree reads everything again.
      const rows = table.listKnown ? attempted(() => table.listKnown?.() ?? []) : listings.read();
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
      // The whole group first, so members cannot fork between two single signals.
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
    // It has ended or may not be signalled: the next scan decides.
    return false;
  }
}

/** A listing is reused for this many times as long as it took, so reading the table takes at most a quarter of the time. */
const REUSE = 3;

/**
 * Readings of the process table for many trees. They often end at once, and reading the table takes milliseconds.
 *
 * A listing may be old: it can show a process that has ended since, which a later one corrects. One without processes of
 * a tree stays true, because only a process of the tree can start another. But a reading takes a moment, in which one
 * process may start another and end; so a tree whose last scan found none gets a new listing. All trees use the newest
 * listing there is: with an older one a tree would forget members.
 */
class SharedListings {
  readonly #table: ProcessTable;
  /** The listing in which a tree had no processes. */
  readonly #empty = new WeakMap<TreeRecord, readonly ProcessRow[]>();
  #rows: readonly ProcessRow[] | undefined;
  #isOfThisTurn = false;
  #sinceMs = 0;
  #untilMs = 0;

  constructor(table: ProcessTable) {
    this.#table = table;
  }

  /** For a scan: a listing from after the start of the tree. Undefined if the table cannot be read. */
  forScan(tree: TreeRecord): readonly ProcessRow[] | undefined {
    const isRecent = performance.now() < this.#untilMs && this.#sinceMs >= tree.sinceMs;
    return this.#rows && isRecent && this.#empty.get(tree) !== this.#rows ? this.#rows : this.read();
  }

  /** For a signal: a listing of this turn of the event loop, because a process that is missing in it gets no signal. */
  forSignal(): readonly ProcessRow[] | undefined {
    return this.#isOfThisTurn ? this.#rows : this.read();
  }

  /** Reads the table. */
  read(): readonly ProcessRow[] | undefined {
    const startMs = performance.now();
    this.#rows = attempted(() => this.#table.list());
    const endMs = performance.now();
    this.#sinceMs = startMs;
    this.#untilMs = endMs + (endMs - startMs) * REUSE;
    if (!this.#isOfThisTurn) setImmediate(() => void (this.#isOfThisTurn = false)).unref();
    this.#isOfThisTurn = true;
    return this.#rows;
  }

  /** The newest listing has no process of this tree. */
  foundNone(tree: TreeRecord): void {
    if (this.#rows) this.#empty.set(tree, this.#rows);
  }
}

function attempted(list: () => readonly ProcessRow[]): readonly ProcessRow[] | undefined {
  try {
    return list();
  } catch {
    return undefined;
  }
}

/**
 * The processes that belong to a tree by group or session. Their cookies are not read for other trees: on a busy
 * machine reading the environment of a process that is just starting can wait for that process.
 */
export class KnownMembers {
  #trees: ReadonlyMap<number, { readonly startTime: number; readonly tree: TreeRecord }> = new Map();

  /** Replaces what was known. One pass for all trees, because there can be hundreds. */
  learn(rows: readonly ProcessRow[], trees: readonly TreeRecord[]): void {
    const starts = new Map(rows.map(({ pid, startTime }) => [pid, startTime]));
    // If the start of its root is not known, or its pid was reused, a tree may not own its group.
    const sure = trees.filter(
      ({ root }) => root.startTime > 0 && (starts.get(root.pid) ?? root.startTime) === root.startTime,
    );
    const byRoot = new Map(sure.map((tree) => [tree.root.pid, tree]));
    this.#trees = new Map(
      rows.flatMap(({ pid, startTime, group, session }) => {
        const tree = byRoot.get(group) ?? byRoot.get(session);
        return tree ? [[pid, { startTime, tree }] as const] : [];
      }),
    );
  }

  isOfOther(tree: TreeRecord, { pid, startTime }: ProcessRow): boolean {
    const known = this.#trees.get(pid);
    return known !== undefined && known.startTime === startTime && known.tree !== tree;
  }
}
