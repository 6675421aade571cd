import type { ProcessRow, ProcessTable } from "../members/process-identity.ts";
import type { TreeRecord } from "../members/tree-record.ts";

/** A listing is used this many times as long as it took, so reading the table takes at most a quarter of the time. */
const REUSE = 3;

/**
 * Readings of the process table for many trees. They often end at once, and reading the table takes milliseconds.
 *
 * A listing may be old: it can show a process that has ended since, which a later one corrects. One without processes of
 * a tree stays true, because only a process of the tree can start another. But a reading takes a moment, in which one
 * process may start another and end; so a tree whose last scan found none gets a new listing. All trees use the newest
 * listing there is: with an older one a tree would forget members.
 */
export class SharedListings {
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
    this.#rows = listed(this.#table);
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

function listed(table: ProcessTable): readonly ProcessRow[] | undefined {
  try {
    return table.list();
  } catch {
    return undefined;
  }
}
