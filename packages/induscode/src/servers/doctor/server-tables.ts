import { escapeForDisplay, shellWord, shortenText, showDuration, showName } from "indusagi/core";
import type { EndpointStatus, LoginStatus } from "indusagi/interop";
import { showTable } from "../../screen/index.ts";
import type { Look, Style } from "../../screen/internal.ts";
import { LIST_FAILED, serverReport } from "./server-report.ts";
import { noteOf, showLogin, shownWord } from "./status.ts";

/** One configured server. */
export interface ServerRow {
  readonly server: string;
  /** Where its row is: a scope such as `project`, a file, or a flag. */
  readonly origin: string;
  readonly trust: string;
  /** Absent if another row of the same name is used. */
  readonly status?: EndpointStatus | undefined;
  /** An estimate of what its tools cost in tokens. Absent if they are not known. */
  readonly tokens?: number | undefined;
  /** How long its start took. */
  readonly ms?: number | undefined;
  /** Who is logged in there, and until when. */
  readonly login?: LoginStatus | undefined;
}

export interface ServerTableOptions {
  readonly look?: Look;
  /** Show how long each start took. */
  readonly times: boolean;
}

/** The configured servers as a table. Below it, the sum of their tools and tokens if there are several, and the logins. */
export function showServers(rows: readonly ServerRow[], { look = {}, times }: ServerTableOptions): string {
  const header = [
    "SERVER",
    "ORIGIN",
    "TRUST",
    "STATE",
    "TOOLS",
    "EST. TOKENS",
    ...(times ? ["TIME"] : []),
    "NOTE",
  ];
  const cells = rows.map(({ server, origin, trust, status, tokens, ms }) => [
    escapeForDisplay(server),
    escapeForDisplay(origin),
    shownWord(trust),
    status ? stateCell(status) : "not used",
    status && tokens !== undefined ? String(status.toolCount) : "-",
    tokens === undefined ? "-" : String(tokens),
    ...(times ? [secondsShown(ms)] : []),
    status ? noteOf(status) : "another row of this name is used",
  ]);
  const styleOf = stateStyle(header.indexOf("STATE"));
  return showTable([header, ...cells], { ...look, styleOf }) + showSum(rows) + showLogins(rows);
}

function showLogins(rows: readonly ServerRow[]): string {
  const lines = rows.flatMap(({ server, login }) =>
    login ? [`${showName(server)}: ${showLogin(login)}\n`] : [],
  );
  return lines.length > 0 ? `\n${lines.join("")}` : "";
}

function showSum(rows: readonly ServerRow[]): string {
  const known = rows.filter(({ tokens }) => tokens !== undefined);
  if (known.length < 2) return "";
  const tools = known.reduce((sum, { status }) => sum + (status?.toolCount ?? 0), 0);
  const tokens = known.reduce((sum, row) => sum + (row.tokens ?? 0), 0);
  return `\n${tools} tools, an estimated ${tokens} tokens (one per 4 bytes)\n`;
}

/** What is known about a server that is not started. */
export interface KnownServer {
  readonly server: string;
  /** Whose file names it. */
  readonly origin: string;
  /** Its trust, or `disabled`. */
  readonly state: string;
  /** How many tools it offered when it was last listed. Absent: not known. */
  readonly tools?: number | undefined;
  /** Starts that failed since the last good one. */
  readonly failures: number;
}

/** The servers of a folder as a table, without starting any. */
export function showKnownServers(servers: readonly KnownServer[], look: Look = {}): string {
  const rows = servers.map((known) => [
    escapeForDisplay(known.server),
    known.origin,
    shownWord(known.state),
    known.tools === undefined ? "-" : String(known.tools),
    knownNote(known),
  ]);
  const styleOf = (cell: string, column: number): Style | undefined =>
    column === 2 ? TRUST_STYLES[cell] : undefined;
  return showTable([["SERVER", "ORIGIN", "TRUST", "TOOLS", "NOTE"], ...rows], { ...look, styleOf });
}

const TRUST_STYLES: { readonly [shown: string]: Style } = {
  yours: "green",
  approved: "green",
  pending: "yellow",
  refused: "red",
  disabled: "dim",
};

function knownNote({ server, state, tools, failures }: KnownServer): string {
  if (state === "pending")
    return `comes with the project and is not approved; look at it with indus mcp trust ${typed(server)}`;
  if (state === "refused") return `you refused it; indus mcp trust ${typed(server)} approves it`;
  if (state === "disabled") return 'set "enabled": true to use it';
  if (failures > 0)
    return `its last ${failures === 1 ? "start" : `${failures} starts`} failed; see indus mcp list ${typed(server)}`;
  return tools === undefined ? "not started yet" : "-";
}

/** The state of each server as a table: one row each, with the remedy for a server that does not work. */
export function showStatuses(
  statuses: readonly EndpointStatus[],
  look: Look = {},
  timesMs?: ReadonlyMap<string, number>,
): string {
  const rows = statuses.map((status) => [
    escapeForDisplay(status.server),
    stateCell(status),
    String(status.toolCount),
    ...(timesMs ? [secondsShown(timesMs.get(status.server))] : []),
    noteOf(status),
  ]);
  const header = ["SERVER", "STATE", "TOOLS", ...(timesMs ? ["TIME"] : []), "NOTE"];
  return showTable([header, ...rows], { ...look, styleOf: stateStyle(1) });
}

export interface WatchedOptions extends Look {
  /** How long a server has been in its state. */
  readonly secondsOf: (server: string) => number;
}

/** A longer name would leave no room for the note. */
const MAX_SERVER_CHARS = 24;

/** The state of each server for a table that is redrawn, with the time since the last change. */
export function showWatched(
  statuses: readonly EndpointStatus[],
  { secondsOf, ...look }: WatchedOptions,
): string {
  const rows = statuses.map((status) => [
    shortenText(escapeForDisplay(status.server), MAX_SERVER_CHARS),
    stateCell(status),
    String(status.toolCount),
    String(status.restarts ?? 0),
    showDuration(Math.floor(secondsOf(status.server)) * 1000),
    noteOf(status),
  ]);
  return showTable([["SERVER", "STATE", "TOOLS", "RESTARTS", "SINCE", "NOTE"], ...rows], {
    ...look,
    styleOf: stateStyle(1),
  });
}

function stateCell(status: EndpointStatus): string {
  return shownWord(serverReport(status).state);
}

/** All other states can change by themselves, or are up to the user. */
const STATE_STYLES: { readonly [shown: string]: Style } = {
  ready: "green",
  failed: "red",
  [LIST_FAILED]: "red",
  disabled: "dim",
  dormant: "dim",
};

function stateStyle(stateColumn: number): (cell: string, column: number) => Style | undefined {
  return (cell, column) => (column === stateColumn ? (STATE_STYLES[cell] ?? "yellow") : undefined);
}

/** Seconds only: one unit is easier to compare in a column. */
function secondsShown(ms: number | undefined): string {
  return ms === undefined ? "-" : `${(ms / 1000).toFixed(1)} s`;
}

/** An id as a word of a command to paste: a shell must not expand what a project's file contains. */
function typed(server: string): string {
  return escapeForDisplay(shellWord(server));
}
