import type { BridgeCapability } from "../ledger/index.ts";
import type { DecisionRecord } from "../ledger-log/index.ts";

/** One event of the history of a workspace. */
export type HistoryEvent = EntryEvent | DecisionEvent;

interface EventPlace {
  /** The run that recorded it: the id of its segment. */
  readonly segment: string;
  readonly at: string;
  readonly server: string;
  /** The exact name of the tool on its server. */
  readonly tool: string;
}

/** A tool was added, replaced or removed. */
export interface EntryEvent extends EventPlace {
  readonly op: "enroll" | "retire";
  /** The tool as it was enrolled; for a removed one, as it was before. */
  readonly capability: BridgeCapability;
}

/** A decision about a changed tool. */
export interface DecisionEvent extends EventPlace {
  readonly op: DecisionRecord["op"];
  readonly decision: DecisionRecord;
}

/** Whether an event is about the live tools, and not a decision. */
export function isEntryEvent(event: HistoryEvent): event is EntryEvent {
  return !("decision" in event);
}

/** The exact name of a tool on its server. */
export function toolOf({ descriptor }: BridgeCapability): string {
  return descriptor.origin?.tool ?? descriptor.name;
}
