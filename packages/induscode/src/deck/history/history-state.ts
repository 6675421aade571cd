import { isSegmentId } from "../log/internal.ts";
import { type EntryEvent, type HistoryEvent, isEntryEvent } from "./history-event.ts";

/** The tools of each server at one moment, by exact name, each with the event that enrolled it. */
export type HistoryState = ReadonlyMap<string, ReadonlyMap<string, EntryEvent>>;

interface ServerState {
  readonly segment: string;
  readonly tools: Map<string, EntryEvent>;
}

/**
 * The tools at a moment: a time as ISO 8601, or the id of a run for its end. A run starts with no tools, so the newest run
 * that recorded a server decides what that server has.
 */
export function stateAt(events: readonly HistoryEvent[], moment?: string): HistoryState {
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
export function checkMoment(moment: string): void {
  if (isSegmentId(moment) || !Number.isNaN(Date.parse(moment))) return;
  throw new RangeError(`"${moment}" is neither a time such as 2026-11-16T09:30:00Z nor the id of a run`);
}
