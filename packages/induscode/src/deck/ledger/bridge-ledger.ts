import type { BridgeCapability } from "./bridge-capability.ts";
import type { BridgeEntry } from "./bridge-entry.ts";
import { type BridgeKey, descriptorKey } from "./bridge-key.ts";
import { type LedgerSnapshot, reduceLedger } from "./reduce-ledger.ts";

/** What an enrollment has to say; number and stamp are the ledger's. */
export interface EnrollRequest {
  readonly capability: BridgeCapability;
  /** The id of the server it came from. */
  readonly server: string;
  /** Default: the content key, so that the same tool is never enrolled twice over. */
  readonly key?: BridgeKey;
}

/** An entry before it has its number. */
type Unnumbered = BridgeEntry extends infer Entry
  ? Entry extends BridgeEntry
    ? Omit<Entry, "seq">
    : never
  : never;

/**
 * What was mounted and withdrawn, event by event, and what is live after them. A value: every transition gives a new
 * ledger and leaves this one as it was. The log is the truth; the snapshot is its fold, made when first looked at.
 */
export class BridgeLedger {
  /** The number the next entry gets. */
  readonly nextSeq: number;
  /**
   * A ledger and those made from it share one growing array, each seeing only the front that is its own: mounting
   * thousands of tools one by one would otherwise copy the log thousands of times.
   */
  readonly #trail: BridgeEntry[];
  readonly #length: number;
  #log: readonly BridgeEntry[] | undefined;
  #snapshot: LedgerSnapshot | undefined;

  private constructor(trail: BridgeEntry[], nextSeq: number) {
    this.#trail = trail;
    this.#length = trail.length;
    this.nextSeq = nextSeq;
  }

  /** No events, nothing live; numbers start at 1. */
  static empty(): BridgeLedger {
    return new BridgeLedger([], 1);
  }

  /** The ledger that these events make, whatever order they come in; numbers go on after the greatest. */
  static fromLog(log: readonly BridgeEntry[]): BridgeLedger {
    const highWater = log.reduce((greatest, { seq }) => Math.max(greatest, seq), 0);
    return new BridgeLedger([...log], highWater + 1);
  }

  /** Every event so far, in the order it was appended. */
  get log(): readonly BridgeEntry[] {
    this.#log ??= Object.freeze(this.#trail.slice(0, this.#length));
    return this.#log;
  }

  get snapshot(): LedgerSnapshot {
    this.#snapshot ??= reduceLedger(this.log);
    return this.#snapshot;
  }

  /** Puts a capability in. Under a key that is live already it replaces what is there. */
  enroll(
    { capability, server, key = descriptorKey(capability.descriptor) }: EnrollRequest,
    at: string,
  ): BridgeLedger {
    return this.#append([{ op: "enroll", key, server, capability, at }]);
  }

  /** Takes a capability out. A key that is not live is recorded all the same, and changes nothing. */
  retire(key: BridgeKey, server: string, at: string): BridgeLedger {
    return this.#append([{ op: "retire", key, server, at }]);
  }

  /** Takes out everything a server has live, in one batch. */
  withdrawServer(server: string, at: string): BridgeLedger {
    const keys = [...this.snapshot.owners].flatMap(([key, owner]) => (owner === server ? [key] : []));
    return this.#append(keys.map((key) => ({ op: "retire", key, server, at })));
  }

  /** Everything live, in a stable order. */
  liveCapabilities(): BridgeCapability[] {
    return [...this.snapshot.live.values()];
  }

  /** What one server has live. */
  liveCapabilitiesForServer(server: string): BridgeCapability[] {
    const { live, owners } = this.snapshot;
    return [...live].flatMap(([key, capability]) => (owners.get(key) === server ? [capability] : []));
  }

  #append(entries: readonly Unnumbered[]): BridgeLedger {
    // Whoever goes on from an older ledger must not write over what another has already added.
    const isNewest = this.#trail.length === this.#length;
    const trail = isNewest ? this.#trail : this.#trail.slice(0, this.#length);
    for (const [index, entry] of entries.entries())
      trail.push(Object.freeze({ ...entry, seq: this.nextSeq + index }));
    return new BridgeLedger(trail, this.nextSeq + entries.length);
  }
}
