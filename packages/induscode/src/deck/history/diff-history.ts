import { toolDifference } from "../ledger/index.ts";
import type { EntryEvent } from "./history-event.ts";
import { checkMoment, type HistoryState, stateAt } from "./history-state.ts";
import type { LedgerHistory } from "./read-history.ts";

/** One tool in a difference. */
export interface ToolChange {
  readonly server: string;
  readonly tool: string;
  /** The time of the event that made the change. For a removed tool: when it was last enrolled. */
  readonly at: string;
}

/** The differences between two moments. */
export interface HistoryDiff {
  readonly added: readonly ToolChange[];
  readonly removed: readonly ToolChange[];
  /** Tools that their server describes differently. */
  readonly changed: readonly (ToolChange & { readonly difference: string })[];
}

/**
 * What changed between two moments; each is a time as ISO 8601 or the id of a run. Throws a `RangeError` for anything else.
 */
export function diffHistory({ events }: LedgerHistory, from: string, to: string): HistoryDiff {
  checkMoment(from);
  checkMoment(to);
  const [before, after] = [stateAt(events, from), stateAt(events, to)];
  const changed = each(after).flatMap((event) => {
    const old = before.get(event.server)?.get(event.tool);
    if (!old || old.capability.fingerprint === event.capability.fingerprint) return [];
    return [{ ...changeOf(event), difference: differenceOf(old, event) }];
  });
  return {
    added: each(after)
      .filter((event) => !has(before, event))
      .map(changeOf),
    removed: each(before)
      .filter((event) => !has(after, event))
      .map(changeOf),
    changed,
  };
}

/** What a server changed between two enrollments of a tool. */
export function differenceOf(before: EntryEvent, after: EntryEvent): string {
  const text = toolDifference(before.capability.descriptor, after.capability.descriptor);
  const isCut = before.capability.isCut || after.capability.isCut;
  return text === "" && isCut ? "a part changed that was too large to be stored" : text;
}

function each(state: HistoryState): EntryEvent[] {
  return [...state.values()].flatMap((tools) => [...tools.values()]);
}

function has(state: HistoryState, { server, tool }: EntryEvent): boolean {
  return state.get(server)?.has(tool) ?? false;
}

function changeOf({ server, tool, at }: EntryEvent): ToolChange {
  return { server, tool, at };
}
