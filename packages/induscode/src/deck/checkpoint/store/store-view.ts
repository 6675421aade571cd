import { isFile, isUntouched, type PathMark } from "../file-mark.ts";
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
  /** Those that may have been changed by someone else after the commands were cut off. */
  readonly unclear: ReadonlySet<string>;
  /** What was not kept and is gone, or smaller, since its commands: new files may hold it. */
  readonly lost: ReadonlySet<string>;
  /** What commands moved here from a place that was not kept. */
  readonly moved: ReadonlySet<string>;
  /** Its commands began: whether what they changed can be undone is known. */
  readonly hasCommands: boolean;
  /** The workspace before its commands, as long as what they changed was not found yet. */
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

/** What the records of a session add up to. */
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

  /** Whether the contents of a whole workspace may be there that no node needs. */
  get mayHaveRest(): boolean {
    return this.#mayHaveRest;
  }

  /** Sizes of the contents that the nodes need, by hash. Without those of workspaces. */
  contents(): Map<string, number> {
    const sizes = new Map<string, number>();
    for (const { before } of this.#nodes.values())
      for (const mark of before.values()) if (isFile(mark)) sizes.set(mark.hash, mark.size);
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
    this.#mayHaveRest = true; // Version 2 has no record before it.
    if (!own) return;
    own.open = { state, bytes };
    own.hasCommands = true;
    own.earlier = new Set(own.before.keys());
  }

  /** The state before the commands wins over that before a later edit in the same node, if it was kept. */
  #find({ node, path, mark, after, loss }: Extract<StoreRecord, { readonly op: "found" }>): void {
    const own = this.#nodes.get(node);
    if (!own) return;
    own.found.add(path);
    if (loss) own[loss].add(path);
    const isBetter = !own.before.has(path) || (!own.earlier.has(path) && !isUntouched(mark));
    if (isBetter) own.before.set(path, mark);
    if (after !== undefined) {
      // One that was not read says less than the edit that wrote it.
      if (!isUntouched(after) || !own.after.has(path)) own.after.set(path, after);
      own.unclear.delete(path);
    } else if (!own.after.has(path)) own.unclear.add(path);
  }

  #end(undone: string | undefined): void {
    if (undone !== undefined) for (const { id } of this.nodesFrom(undone)) this.#nodes.delete(id);
    this.#steps = [];
    this.#committed = undefined;
  }
}
