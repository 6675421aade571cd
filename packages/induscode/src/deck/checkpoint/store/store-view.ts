import type { PathMark } from "../file-mark.ts";
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
}

interface OwnNodeView extends NodeView {
  readonly before: Map<string, PathMark>;
  readonly after: Map<string, PathMark>;
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

  /** Sizes of the contents that the nodes need, by hash. */
  contents(): Map<string, number> {
    const sizes = new Map<string, number>();
    for (const { before } of this.#nodes.values())
      for (const mark of before.values()) if (typeof mark !== "string") sizes.set(mark.hash, mark.size);
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
    if (!this.#nodes.has(id)) this.#nodes.set(id, { id, at, before: new Map(), after: new Map() });
  }

  #end(undone: string | undefined): void {
    if (undone !== undefined) for (const { id } of this.nodesFrom(undone)) this.#nodes.delete(id);
    this.#steps = [];
    this.#committed = undefined;
  }
}
