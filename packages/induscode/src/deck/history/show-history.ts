import { escapeForDisplay, showName } from "indusagi/core";
import { type HistoryEvent, isEntryEvent } from "./history-event.ts";
import type { LedgerHistory } from "./read-history.ts";

const VERBS: { readonly [op in HistoryEvent["op"]]: string } = {
  enroll: "added",
  retire: "removed",
  hold: "changed; the approved form stays in use",
  adopt: "changed; the new form is used",
  quarantine: "quarantined",
  approve: "approved",
};

/** The history as text for a terminal: the date of the oldest record, then one line per event. */
export function showHistory({ events, oldest, damaged }: LedgerHistory): string {
  const first = oldest === undefined ? "nothing is recorded yet" : `the oldest record is of ${oldest}`;
  const lines = events.map(
    (event) => `${event.at}  ${showName(event.server)}  ${nameOf(event)}  ${VERBS[event.op]}`,
  );
  const notes = damaged.map(({ path, damage }) => `not used: ${path} is damaged at byte ${damage.offset}`);
  return [first, ...notes, ...lines].map((line) => `${escapeForDisplay(line)}\n`).join("");
}

function nameOf(event: HistoryEvent): string {
  const subject = isEntryEvent(event) ? undefined : event.decision.subject;
  if (subject === "instructions") return "(instructions)";
  return subject === undefined ? showName(event.tool) : `(prompt) ${showName(event.tool)}`;
}
