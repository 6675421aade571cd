import type { BridgeCapability } from "./bridge-capability.ts";
import type { BridgeKey } from "./bridge-key.ts";

/** What an entry does to the live view: puts a capability in (or in its own place), or takes one out. */
export type BridgeOp = "enroll" | "retire";

/** One event of the ledger. */
export type BridgeEntry = EnrollEntry | RetireEntry;

/** A capability was put in. */
export interface EnrollEntry extends EntryStamp {
  readonly op: "enroll";
  readonly capability: BridgeCapability;
}

/** A capability was taken out. */
export interface RetireEntry extends EntryStamp {
  readonly op: "retire";
  readonly capability?: never;
}

interface EntryStamp {
  readonly key: BridgeKey;
  /** The id of the server concerned. */
  readonly server: string;
  /** Counts up from 1. The order of events is this and nothing else. */
  readonly seq: number;
  /** When, as ISO 8601 in UTC. For people: clocks jump, so nothing is ordered by it. */
  readonly at: string;
}
