import type { LedgerRecords } from "../../boot/internal.ts";

type HistoryEvent = Awaited<ReturnType<LedgerRecords["history"]>>["events"][number];

/** An event as JSON: without the description of the tool, which `mcp diff` shows where it matters. */
export function plainEvent(event: HistoryEvent): object {
  const { op, segment, at, server, tool } = event;
  if ("decision" in event) return { ...event.decision, segment };
  return { op, server, tool, at, segment, fingerprint: event.capability.fingerprint };
}
