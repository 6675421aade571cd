import type { BridgeCapability } from "./bridge-capability.ts";
import type { BridgeEntry } from "./bridge-entry.ts";
import { type BridgeKey, descriptorKey } from "./bridge-key.ts";
import {
  advanceFold,
  emptyFold,
  FoldVersion,
  inOrder,
  type LedgerFold,
  type LedgerSnapshot,
  reduceLedger,
  snapshotOf,
} from "./reduce-ledger.ts";

/** What to enroll. The ledger adds the sequence number. */
export interface EnrollRequest {
  readonly capability: BridgeCapability;
  /** The id of the server it came from. */
  readonly server: string;
  /** Default: the content key, so the same tool is never live twice. */
  readonly key?: BridgeKey;
}

/**
 * The history of mounted and withdrawn tools, and the tools that are live after it. Immutable: every transition returns a
 * new ledger. The log is the source of truth; the snapshot is computed from it at the first read.
 */
export class BridgeLedger {
  /** The sequence number of the next entry. */
  readonly nextSeq: number;
  readonly #trail: Trail;
  readonly #length: number;
  #log: readonly BridgeEntry[] | undefined;
  #snapshot: LedgerSnapshot | undefined;

  private constructor(trail: Trail, nextSeq: number) {
    this.#trail = trail;
    this.#length = trail.entries.length;
    this.nextSeq = nextSeq;
  }

  /** A ledger without events. Sequence numbers start at 1. */
  static empty(): BridgeLedger {
    return new BridgeLedger(trailOf([]), 1);
  }

  /** The ledger of these events, in any order. Sequence numbers continue after the greatest. */
  static fromLog(log: readonly BridgeEntry[]): BridgeLedger {
    const highWater = log.reduce((greatest, { seq }) => Math.max(greatest, seq), 0);
    return new BridgeLedger(trailOf([...log]), highWater + 1);
  }

  /** Every event so far, in the order of appending. */
  get log(): readonly BridgeEntry[] {
    this.#log ??= Object.freeze(this.#trail.entries.slice(0, this.#length));
    return this.#log;
  }

  get snapshot(): LedgerSnapshot {
    this.#snapshot ??= this.#fold();
    return this.#snapshot;
  }

  /** Adds a capability, or replaces the live one with the same key. */
  enroll(
    { capability, server, key = descriptorKey(capability.descriptor) }: EnrollRequest,
    at: string,
  ): BridgeLedger {
    return this.#append([Object.freeze({ op: "enroll", key, server, capability, seq: this.nextSeq, at })]);
  }

  /** Removes a capability. A key that is not live is recorded too, and changes nothing else. */
  retire(key: BridgeKey, server: string, at: string): BridgeLedger {
    return this.#append([Object.freeze({ op: "retire", key, server, seq: this.nextSeq, at })]);
  }

  /** Removes all live capabilities of a server in one batch. */
  withdrawServer(server: string, at: string): BridgeLedger {
    const keys = [...this.snapshot.owners].flatMap(([key, owner]) => (owner === server ? [key] : []));
    const first = this.nextSeq;
    return this.#append(
      keys.map((key, index) => Object.freeze({ op: "retire", key, server, seq: first + index, at })),
    );
  }

  /** All live capabilities, in a stable order. */
  liveCapabilities(): BridgeCapability[] {
    return [...this.snapshot.live.values()];
  }

  /** The live capabilities of one server. */
  liveCapabilitiesForServer(server: string): BridgeCapability[] {
    const { live, owners } = this.snapshot;
    return [...live].flatMap(([key, capability]) => (owners.get(key) === server ? [capability] : []));
  }

  #append(added: readonly BridgeEntry[]): BridgeLedger {
    // An older ledger must not overwrite entries that a newer one has appended to the shared array.
    const isNewest = this.#trail.entries.length === this.#length;
    const trail = isNewest ? this.#trail : trailOf(this.#trail.entries.slice(0, this.#length));
    for (const entry of added) trail.entries.push(entry);
    return new BridgeLedger(trail, this.nextSeq + added.length);
  }

  /** Adds to the shared fold only what it lacks, so a snapshot costs only the entries since the last one. */
  #fold(): LedgerSnapshot {
    const { entries, fold } = this.#trail;
    if (fold.length > this.#length) return reduceLedger(this.log);
    // Appended entries are in order; those that a log was read from may not be.
    const rest = fold.length === 0 ? inOrder(this.log) : between(entries, fold.length, this.#length);
    advanceFold(fold, rest);
    return snapshotOf(new FoldVersion(fold, () => inOrder(this.log)));
  }
}

/**
 * Shared by a ledger and those made from it; each reads only the first `#length` entries. Mounting thousands of tools one
 * by one would otherwise copy the log thousands of times.
 */
interface Trail {
  readonly entries: BridgeEntry[];
  /** The fold of the first entries, up to the newest ledger whose snapshot was read. */
  readonly fold: LedgerFold;
}

function trailOf(entries: BridgeEntry[]): Trail {
  return { entries, fold: emptyFold() };
}

function* between(entries: readonly BridgeEntry[], from: number, to: number): Iterable<BridgeEntry> {
  for (let at = from; at < to; at += 1) yield entries[at] as BridgeEntry;
}
