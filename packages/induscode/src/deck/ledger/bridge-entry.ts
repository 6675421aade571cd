import type { BridgeCapability } from "./bridge-capability.ts";
import type { BridgeKey } from "./bridge-key.ts";

/** What an entry does to the live view: adds or replaces a capability, or removes one. */
export type BridgeOp = "enroll" | "retire";

/** One event of the ledger. */
export type BridgeEntry = EnrollEntry | RetireEntry;

/** A capability was added or replaced. */
export interface EnrollEntry extends EntryStamp {
  readonly op: "enroll";
  readonly capability: BridgeCapability;
  /** How many changes between known forms this entry of a log stands for. Absent: it is one change. */
  readonly flips?: number;
}

/** A capability was removed. */
export interface RetireEntry extends EntryStamp {
  readonly op: "retire";
  readonly capability?: never;
}

interface EntryStamp {
  readonly key: BridgeKey;
  /** The id of the server that the capability belongs to. */
  readonly server: string;
  /** Counts up from 1. It alone decides the order of events. */
  readonly seq: number;
  /** The time, as ISO 8601 in UTC. For people only: clocks can jump, so nothing is ordered by it. */
  readonly at: string;
}
