import { escapeForDisplay } from "indusagi/core";
import type { EndpointStatus } from "indusagi/interop";
import { showTable } from "./show-table.ts";

/** How servers are, as a table: one line each, with the way out for one that is not well. */
export function showStatuses(statuses: readonly EndpointStatus[]): string {
  const rows = statuses.map((status) => [
    escapeForDisplay(status.server),
    stateOf(status),
    String(status.toolCount),
    noteOf(status),
  ]);
  return showTable([["SERVER", "STATE", "TOOLS", "NOTE"], ...rows]);
}

/** The state says more than the phase, where there is one. */
export function stateOf({ state, phase }: EndpointStatus): string {
  return state ?? phase;
}

export function noteOf({ summary, notes }: EndpointStatus): string {
  const text = summary ?? notes?.join("; ") ?? "";
  return escapeForDisplay(text.replaceAll(/\s+/g, " ").trim()) || "-";
}
