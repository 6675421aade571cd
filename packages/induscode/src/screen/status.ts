import { escapeForDisplay } from "indusagi/core";
import type { EndpointStatus } from "indusagi/interop";
import type { Look, Style } from "./colour.ts";
import { showTable } from "./table.ts";

/** The state of each server as a table: one row each, with the remedy for a server that does not work. */
export function showStatuses(statuses: readonly EndpointStatus[], look: Look = {}): string {
  const rows = statuses.map((status) => [
    escapeForDisplay(status.server),
    stateOf(status),
    String(status.toolCount),
    noteOf(status),
  ]);
  const styleOf = (cell: string, column: number): Style | undefined =>
    column === 1 ? (STYLES[cell] ?? "yellow") : undefined;
  return showTable([["SERVER", "STATE", "TOOLS", "NOTE"], ...rows], { ...look, styleOf });
}

/** The colours of states. All others can change by themselves or by the user's decision, and are yellow. */
const STYLES: { readonly [state: string]: Style } = { ready: "green", faulted: "red", disabled: "dim" };

/** One line about a server, for the log of a running gateway. */
export function showStatusLine(status: EndpointStatus): string {
  // A server whose restarts keep failing stays faulted between them: showing each attempt would be noise.
  const state = status.state === "restarting" ? status.phase : stateOf(status);
  const note = status.phase === "ready" ? `${status.toolCount} tools` : noteOf(status);
  return `server "${status.server}" is ${state}: ${note}`;
}

/** A status as plain JSON: an error object would lose its message. */
export function plainStatus({ fault, ...status }: EndpointStatus): object {
  return { ...status, ...(fault ? { fault: { kind: fault.kind, message: fault.message } } : {}) };
}

/** The supervision state is more precise than the phase, where there is one. */
function stateOf({ state, phase }: EndpointStatus): string {
  return state ?? phase;
}

function noteOf({ summary, notes }: EndpointStatus): string {
  const text = summary ?? notes?.join("; ") ?? "";
  return escapeForDisplay(text.replaceAll(/\s+/g, " ").trim()) || "-";
}
