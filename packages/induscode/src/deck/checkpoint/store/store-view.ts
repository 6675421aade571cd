import { isFileMark, isUntouchedMark, type PathMark } from "../file-mark.ts";
import type { RewindStep } from "../rewind/rewind-step.ts";
import type { StoreRecord } from "./store-record.ts";

/** The files of one node. */
export interface NodeView {
  readonly id: string;
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  /** The state of each path before its first change. */
  readonly before: ReadonlyMap<string, PathMark>;
  /** The state of each path after our last change of it. */
  readonly after: ReadonlyMap<string, PathMark>;
  /** The paths that commands changed. */
  readonly found: ReadonlySet<string>;
  /** Paths that someone else may have changed after the commands were interrupted. */
  readonly unclear: ReadonlySet<string>;
  /** What was not kept and is gone or smaller since the commands: new files may hold it. */
  readonly lost: ReadonlySet<string>;
  /** What commands moved here from a place that was not kept. */
  readonly moved: ReadonlySet<string>;
  /** Commands ran in it, and the workspace was kept before them. */
  readonly hasCommands: boolean;
  /** The workspace before its commands, until their changes are found. */
  readonly open?: { readonly state: string; readonly bytes: number };
}

interface OwnNodeView extends NodeView {
  readonly before: Map<string, PathMark>;
  readonly after: Map<string, PathMark>;
  readonly found: Set<string>;
  readonly unclear: Set<string>;
  readonly lost: Set<string>;
  readonly moved: Set<string>;
  /** The paths that were changed before the commands began. */
  earlier: ReadonlySet<string>;
  hasCommands: boolean;
  open?: { readonly state: string; readonly bytes: number };
}

/** A rewind that has not ended. */
export interface PendingRewind {
  readonly steps: readonly RewindStep[];
  /** Present if it is to be finished: the first node that it undoes. */
  readonly node?: string;
}

/** The state that the records of a session add up to. */
export class StoreView {
  readonly #nodes = new Map<string, OwnNodeView>();
  #steps: RewindStep[] = [];
  #committed: string | undefined;
  #mayHaveRest = false;

  /** The nodes that can be undone, oldest first. */
  get nodes(): readonly NodeView[] {
    return [...this.#nodes.values()];
  }

  node(id: string): NodeView | undefined {
    return this.#nodes.get(id);
  }

  /** This node and all later ones, oldest first. Empty if there is no such node. */
  nodesFrom(id: string): readonly NodeView[] {
    const { nodes } = this;
    const first = nodes.findIndex((node) => node.id === id);
    return first === -1 ? [] : nodes.slice(first);
  }

  get pending(): PendingRewind | undefined {
    const node = this.#committed;
    if (node === undefined && this.#steps.length === 0) return undefined;
    return { steps: this.#steps, ...(node === undefined ? {} : { node }) };
  }

  /** Whether the store may hold contents of a whole workspace that no node needs. */
  get mayHaveRest(): boolean {
    return this.#mayHaveRest;
  }

  /** Sizes of the contents that the nodes need, by hash, without those of workspaces. */
  contents(): Map<string, number> {
    const sizes = new Map<string, number>();
    for (const { before } of this.#nodes.values())
      for (const mark of before.values()) if (isFileMark(mark)) sizes.set(mark.hash, mark.size);
    return sizes;
  }

  apply(record: StoreRecord): void {
    switch (record.op) {
      case "node":
        this.#begin(record.node, record.at);
        break;
      case "before": {
        const before = this.#nodes.get(record.node)?.before;
        if (!before?.has(record.path)) before?.set(record.path, record.mark);
        break;
      }
      case "after":
        this.#nodes.get(record.node)?.after.set(record.path, record.mark);
        break;
      case "keeping":
        this.#mayHaveRest = true;
        break;
      case "folder":
        this.#openFolder(record);
        break;
      case "found":
        this.#find(record);
        break;
      case "settled":
        delete this.#nodes.get(record.node)?.open;
        break;
      case "swept":
        this.#mayHaveRest = false;
        break;
      case "drop":
        this.#nodes.delete(record.node);
        break;
      case "stage":
        this.#steps.push(record.step);
        break;
      case "commit":
        this.#committed = record.node;
        break;
      case "end":
        this.#end(record.node);
        break;
    }
  }

  #begin(id: string, at: number): void {
    if (this.#nodes.has(id)) return;
    const set = (): Set<string> => new Set();
    const sets = { found: set(), unclear: set(), lost: set(), moved: set(), earlier: set() };
    this.#nodes.set(id, { id, at, before: new Map(), after: new Map(), ...sets, hasCommands: false });
  }

  #openFolder({ node, state, bytes }: Extract<StoreRecord, { readonly op: "folder" }>): void {
    const own = this.#nodes.get(node);
    this.#mayHaveRest = true; // Version 2 has no `keeping` record.
    if (!own) return;
    own.open = { state, bytes };
    own.hasCommands = true;
    own.earlier = new Set(own.before.keys());
  }

  /** If kept, the state before the commands takes precedence over that before a later edit in the same node. */
  #find({ node, path, mark, after, loss }: Extract<StoreRecord, { readonly op: "found" }>): void {
    const own = this.#nodes.get(node);
    if (!own) return;
    own.found.add(path);
    if (loss) own[loss].add(path);
    const isBetter = !own.before.has(path) || (!own.earlier.has(path) && !isUntouchedMark(mark));
    if (isBetter) own.before.set(path, mark);
    if (after !== undefined) {
      // An unread state says less than the edit that wrote the file.
      if (!isUntouchedMark(after) || !own.after.has(path)) own.after.set(path, after);
      own.unclear.delete(path);
    } else if (!own.after.has(path)) own.unclear.add(path);
  }

  #end(undone: string | undefined): void {
    if (undone !== undefined) for (const { id } of this.nodesFrom(undone)) this.#nodes.delete(id);
    this.#steps = [];
    this.#committed = undefined;
  }
}
