import { toolDifference } from "../ledger/index.ts";
import { isSegmentId } from "../ledger-log/internal.ts";
import { type EntryEvent, type HistoryEvent, isEntryEvent } from "./history-event.ts";
import type { LedgerHistory } from "./read-history.ts";

/** One tool in a difference. */
export interface ToolChange {
  readonly server: string;
  readonly tool: string;
  /** The time of the event that made the change. For a removed tool: when it was last enrolled. */
  readonly at: string;
}

/** The differences between two points in time. */
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

/** The tools of each server at one point in time, by exact name, each with the event that enrolled it. */
type HistoryState = ReadonlyMap<string, ReadonlyMap<string, EntryEvent>>;

interface ServerState {
  readonly segment: string;
  readonly tools: Map<string, EntryEvent>;
}

/**
 * The tools at an ISO 8601 time, or at the end of the run with this id. A run starts with no tools, so the newest run that
 * recorded a server decides what that server has.
 */
function stateAt(events: readonly HistoryEvent[], moment?: string): HistoryState {
  const servers = new Map<string, ServerState>();
  for (const event of events) {
    if (!isEntryEvent(event) || !isUpTo(event, moment)) continue;
    let state = servers.get(event.server);
    if (state?.segment !== event.segment) {
      state = { segment: event.segment, tools: new Map() };
      servers.set(event.server, state);
    }
    if (event.op === "enroll") state.tools.set(event.tool, event);
    else if (state.tools.get(event.tool)?.capability === event.capability) state.tools.delete(event.tool);
  }
  return new Map([...servers].map(([server, { tools }]) => [server, tools]));
}

function isUpTo({ segment, at }: HistoryEvent, moment: string | undefined): boolean {
  if (moment === undefined) return true;
  return isSegmentId(moment) ? segment <= moment : Date.parse(at) <= Date.parse(moment);
}

/** Throws a `RangeError` that names a moment which is neither a time nor the id of a run. */
function checkMoment(moment: string): void {
  if (isSegmentId(moment) || !Number.isNaN(Date.parse(moment))) return;
  throw new RangeError(`"${moment}" is neither a time such as 2026-11-16T09:30:00Z nor the id of a run`);
}

/** What a server changed between two enrollments of a tool. */
export function differenceOf(before: EntryEvent, after: EntryEvent): string {
  const text = toolDifference(before.capability.descriptor, after.capability.descriptor);
  const isCut = before.capability.isCut || after.capability.isCut;
  return text === "" && isCut ? "a part that was too large to store changed" : text;
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
