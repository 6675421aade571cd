import { qualifyBridgeName } from "../ledger/index.ts";
import { differenceOf } from "./diff-history.ts";
import { type DecisionEvent, type EntryEvent, type HistoryEvent, isEntryEvent } from "./history-event.ts";
import type { LedgerHistory } from "./read-history.ts";

/** Why a tool is offered or not. */
export interface ToolExplanation {
  readonly server: string;
  readonly tool: string;
  readonly state: "here" | "gone" | "quarantined";
  /** When that began. */
  readonly since: string;
  /** One sentence. */
  readonly reason: string;
  /** What its server changed, oldest first, whether used, held or withheld. */
  readonly changes: readonly { readonly at: string; readonly difference: string }[];
}

/**
 * Explains each tool with this name, of any server. The name is `server__tool`, as a model sees it, or the exact name on the
 * server. Empty if no event is about such a tool.
 */
export function explainTool(history: LedgerHistory, name: string): ToolExplanation[] {
  const events = history.events.filter(isAboutTool);
  const pairs = new Map<string, HistoryEvent>();
  for (const event of events)
    if (isNamed(event, name)) pairs.set(JSON.stringify([event.server, event.tool]), event);
  return [...pairs.values()].map(({ server, tool }) => explain(events, server, tool));
}

/** Prompts and instructions have decisions too. */
function isAboutTool(event: HistoryEvent): boolean {
  return isEntryEvent(event) || event.decision.subject === undefined;
}

function isNamed(event: HistoryEvent, name: string): boolean {
  const { server, tool } = event;
  if (tool === name || qualifyBridgeName(server, tool) === name) return true;
  return isEntryEvent(event) && event.capability.name === name;
}

interface Presence {
  /** The enrollment since which the tool has been present without interruption. */
  readonly since?: EntryEvent | undefined;
  /** What ended it. */
  readonly end?: { readonly at: string; readonly reason: string };
}

function explain(events: readonly HistoryEvent[], server: string, tool: string): ToolExplanation {
  const ofServer = events.filter((event) => event.server === server);
  const { since, end } = presenceOf(ofServer.filter(isEntryEvent), server, tool);
  const changes = changesOf(ofServer, tool);
  const place = { server, tool, changes };
  const quarantine = quarantineOf(ofServer, tool);
  if (quarantine) {
    const reason = quarantine.decision.reason ?? "its server changed it";
    return { ...place, state: "quarantined", since: quarantine.at, reason };
  }
  if (since) return { ...place, state: "here", since: since.at, reason: `server "${server}" lists it` };
  if (!end)
    return {
      ...place,
      state: "here",
      since: decidedAt(ofServer, tool),
      reason: `server "${server}" listed it then`,
    };
  const approval = lastApproval(ofServer, tool);
  if (approval)
    return {
      ...place,
      state: "here",
      since: approval.at,
      reason: `its change was approved; it is offered when server "${server}" lists it next`,
    };
  const { at, reason } = end;
  return { ...place, state: "gone", since: at, reason };
}

function presenceOf(events: readonly EntryEvent[], server: string, tool: string): Presence {
  let presence: Presence = {};
  let segment: string | undefined;
  /** Present at the end of the last run, and not seen in the current one yet. */
  let carried: EntryEvent | undefined;
  for (const event of events) {
    if (event.segment !== segment) {
      if (carried) presence = { end: unlisted(event, server) };
      segment = event.segment;
      carried = presence.since;
      if (carried) presence = { end: unlisted(event, server) };
    }
    if (event.tool !== tool) continue;
    if (event.op === "enroll") presence = { since: presence.since ?? carried ?? event };
    else presence = { end: { at: event.at, reason: `server "${server}" withdrew it` } };
    carried = undefined;
  }
  return presence;
}

function unlisted({ at }: EntryEvent, server: string): { readonly at: string; readonly reason: string } {
  return { at, reason: `server "${server}" no longer listed it in the run of ${at}` };
}

function changesOf(events: readonly HistoryEvent[], tool: string): ToolExplanation["changes"] {
  let before: EntryEvent | undefined;
  return events.flatMap((event) => {
    if (event.tool !== tool || event.op === "retire") return [];
    if (!isEntryEvent(event)) return notUsed(event);
    const last = before;
    before = event;
    if (!last || last.capability.fingerprint === event.capability.fingerprint) return [];
    return [{ at: event.at, difference: differenceOf(last, event) }];
  });
}

/** A change that no entry shows, because the approved form stayed in use. */
function notUsed({ at, op, decision: { difference } }: DecisionEvent): ToolExplanation["changes"] {
  return (op === "hold" || op === "quarantine") && difference !== undefined ? [{ at, difference }] : [];
}

/** The last decision about a tool that no run mounted. A command that only lists tools records nothing else. */
function decidedAt(events: readonly HistoryEvent[], tool: string): string {
  return events.findLast((event) => event.tool === tool)?.at ?? "";
}

/** The approval of a tool, if its server has listed nothing since: the tool was withheld until then, not withdrawn. */
function lastApproval(events: readonly HistoryEvent[], tool: string): DecisionEvent | undefined {
  const last = events.findLast((event) => isEntryEvent(event) || event.tool === tool);
  return last && !isEntryEvent(last) && last.op === "approve" ? last : undefined;
}

/** The quarantine that no later decision ended. */
function quarantineOf(events: readonly HistoryEvent[], tool: string): DecisionEvent | undefined {
  const last = events.findLast(
    (event): event is DecisionEvent => !isEntryEvent(event) && event.tool === tool && event.op !== "hold",
  );
  return last?.op === "quarantine" ? last : undefined;
}
