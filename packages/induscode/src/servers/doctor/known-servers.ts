import { escapeForDisplay } from "indusagi/core";
import { showTable } from "../../screen/index.ts";
import type { Look, Style } from "../../screen/internal.ts";

/** What is known about a server that is not started. */
export interface KnownServer {
  readonly server: string;
  /** Whose file names it. */
  readonly origin: string;
  /** Whether it may be started, or `disabled`. */
  readonly state: string;
  /** The tools that it offered when it was last listed. Absent: not known. */
  readonly tools?: number;
  /** Starts that failed since the last good one. */
  readonly failures: number;
}

/** The servers of a folder as a table, without starting any. */
export function showKnownServers(servers: readonly KnownServer[], look: Look = {}): string {
  const rows = servers.map((known) => [
    escapeForDisplay(known.server),
    known.origin,
    known.state,
    known.tools === undefined ? "-" : String(known.tools),
    noteOf(known),
  ]);
  const styleOf = (cell: string, column: number): Style | undefined =>
    column === 2 ? STYLES[cell] : undefined;
  return showTable([["SERVER", "ORIGIN", "TRUST", "TOOLS", "NOTE"], ...rows], { ...look, styleOf });
}

const STYLES: { readonly [state: string]: Style } = {
  own: "green",
  approved: "green",
  pending: "yellow",
  refused: "red",
  disabled: "dim",
};

function noteOf({ server, state, tools, failures }: KnownServer): string {
  if (state === "pending")
    return `comes with the project and is not approved; look at it with indus mcp trust ${escapeForDisplay(server)}`;
  if (state === "refused") return `you refused it; indus mcp trust ${escapeForDisplay(server)} approves it`;
  if (state === "disabled") return 'set "enabled": true to use it';
  if (failures > 0)
    return `its last ${failures === 1 ? "start" : `${failures} starts`} failed; see indus mcp list ${escapeForDisplay(server)}`;
  return tools === undefined ? "not started yet" : "-";
}
