import { escapeForDisplay, isoTime, shortenText, showDuration, showName } from "indusagi/core";
import type { EndpointStatus, LoginStatus } from "indusagi/interop";
import { showTable } from "../../screen/index.ts";
import type { Look, Style } from "../../screen/internal.ts";
import { LIST_FAILED, serverReport } from "./server-report.ts";

/** The state of each server as a table: one row each, with the remedy for a server that does not work. */
export function showStatuses(
  statuses: readonly EndpointStatus[],
  look: Look = {},
  timesMs?: ReadonlyMap<string, number>,
): string {
  const rows = statuses.map((status) => [
    escapeForDisplay(status.server),
    serverReport(status).state,
    String(status.toolCount),
    ...(timesMs ? [secondsShown(timesMs.get(status.server))] : []),
    noteOf(status),
  ]);
  const header = ["SERVER", "STATE", "TOOLS", ...(timesMs ? ["TIME"] : []), "NOTE"];
  return showTable([header, ...rows], { ...look, styleOf: stateStyle });
}

export interface WatchedOptions extends Look {
  /** How long a server has been in its state. */
  readonly secondsOf: (server: string) => number;
}

/** The state of each server for a table that is drawn again and again, with the time since the last change. */
export function showWatched(
  statuses: readonly EndpointStatus[],
  { secondsOf, ...look }: WatchedOptions,
): string {
  const rows = statuses.map((status) => [
    shortenText(escapeForDisplay(status.server), MAX_NAME_CHARS),
    serverReport(status).state,
    String(status.toolCount),
    String(status.restarts ?? 0),
    showDuration(Math.floor(secondsOf(status.server)) * 1000),
    noteOf(status),
  ]);
  return showTable([["SERVER", "STATE", "TOOLS", "RESTARTS", "SINCE", "NOTE"], ...rows], {
    ...look,
    styleOf: stateStyle,
  });
}

function stateStyle(cell: string, column: number): Style | undefined {
  return column === 1 ? (STATE_STYLES[cell] ?? "yellow") : undefined;
}

/** A longer name would leave no room for the note. */
const MAX_NAME_CHARS = 24;

/** One line about a server that was started once: whether it works, how long it took, and why it failed. */
export function showStart(status: EndpointStatus, ms: number): string {
  const name = showName(status.server);
  const { standing, hasFailed } = serverReport(status);
  if (standing === "disabled") return `${name}: disabled`;
  const time = showDuration(ms);
  if (hasFailed) return `${name}: failed after ${time}: ${noteOf(status)}`;
  return `${name}: ready after ${time}, ${status.toolCount} ${status.toolCount === 1 ? "tool" : "tools"}`;
}

/** More lines would push everything else off the screen. */
const MAX_WAITING_LINES = 10;

/** A terminal shows `^C` after the last line. If that did not fit, it would move the lines, and they could not be removed. */
const INTERRUPT_CHARS = 3;

/** One line for each server that is not there yet, with its name cut to the width. Empty if there is none. */
export function showWaiting(pending: readonly string[], elapsedMs: number, width = 80): string {
  const rest = pending.length > MAX_WAITING_LINES ? pending.length - MAX_WAITING_LINES + 1 : 0;
  const shown = pending.slice(0, pending.length - rest);
  const state = `: starting, ${showDuration(Math.round(elapsedMs / 1000) * 1000)}`;
  const room = Math.max(1, width - state.length - INTERRUPT_CHARS);
  const lines = shown.map((server) => `${shortenText(escapeForDisplay(server), room)}${state}`);
  return [...lines, ...(rest > 0 ? [`… and ${rest} more`] : [])].join("\n");
}

/** For a column of a table, where one unit is easier to compare. */
export function secondsShown(ms: number | undefined): string {
  return ms === undefined ? "-" : `${(ms / 1000).toFixed(1)} s`;
}

/** The colours of states. All others can change by themselves or by the user's decision, and are yellow. */
export const STATE_STYLES: { readonly [state: string]: Style } = {
  ready: "green",
  faulted: "red",
  [LIST_FAILED]: "red",
  disabled: "dim",
  dormant: "dim",
};

/** One line about a server, for the log of a running gateway. */
export function showStatusLine(status: EndpointStatus): string {
  return `server "${showName(status.server)}" is ${showState(status)}`;
}

/** The state of a server with its tools or the reason, such as `ready: 3 tools`. */
export function showState(status: EndpointStatus): string {
  const { state, isUsable, isConnected, isOutdated } = serverReport(status);
  const tools = isUsable && isConnected ? [`${status.toolCount} tools`] : [];
  const notes = isOutdated || tools.length === 0 ? [noteOf(status)] : [];
  // A server whose restarts keep failing stays faulted between them: showing each attempt would be noise.
  return `${state === "restarting" ? status.phase : state}: ${[...tools, ...notes].join("; ")}`;
}

/** A status as plain JSON: an error object would lose its message. */
export function plainStatus({ fault, ...status }: EndpointStatus): object {
  return { ...status, ...(fault ? { fault: { kind: fault.kind, message: fault.message } } : {}) };
}

/** A longer note repeats a name or a text of the server that fills a screen. */
export const MAX_NOTE_CHARS = 1_000;

export function noteOf({ summary, notes = [], rowNotes = [], leftOut = [] }: EndpointStatus): string {
  const text = summary ?? [...notes, ...rowNotes, ...leftOut].join("; ");
  return shortenText(escapeForDisplay(text.replaceAll(/\s+/g, " ").trim()), MAX_NOTE_CHARS) || "-";
}

/** One line about a login: who, where, and until when. */
export function showLogin({ account, issuer, expiresAtMs, renewable, usable }: LoginStatus): string {
  const who = account === undefined ? "" : ` as ${escapeForDisplay(account)}`;
  const where = ` at ${escapeForDisplay(issuer)}`;
  if (!usable) return `the login${who}${where} has expired`;
  const until = expiresAtMs === undefined ? "" : ` until ${timeShown(expiresAtMs)}`;
  return `logged in${who}${where}${until}${renewable ? ", then renewed by itself" : ""}`;
}

function timeShown(ms: number): string {
  return `${isoTime(ms).slice(0, 16).replace("T", " ")} UTC`;
}
