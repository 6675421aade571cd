import { escapeForDisplay, showName } from "indusagi/core";
import type { EndpointStatus, LoginStatus } from "indusagi/interop";
import { showTable } from "../../screen/index.ts";
import type { Look, Style } from "../../screen/internal.ts";
import { serverReport } from "./server-report.ts";
import { noteOf, STATE_STYLES, secondsShown, showLogin } from "./status.ts";

/** One configured server. */
export interface ServerRow {
  readonly server: string;
  /** Where its row is: a scope such as `project`, a file, or a flag. */
  readonly origin: string;
  readonly trust: string;
  /** Absent if another row of the same name is used. */
  readonly status?: EndpointStatus;
  /** An estimate of the tokens that its tools cost. Absent if they are not known. */
  readonly tokens?: number;
  /** How long its start took. */
  readonly ms?: number;
  /** Who is logged in there, and until when. */
  readonly login?: LoginStatus;
}

export interface ServerTableOptions {
  readonly look?: Look;
  /** Also show how long each start took. */
  readonly times: boolean;
}

const PHASE_COLUMN = 3;

/** The configured servers as a table. Below it, the sum of their tools and tokens if there are several, and the logins. */
export function showServers(rows: readonly ServerRow[], { look = {}, times }: ServerTableOptions): string {
  const header = [
    "SERVER",
    "ORIGIN",
    "TRUST",
    "PHASE",
    "TOOLS",
    "EST. TOKENS",
    ...(times ? ["TIME"] : []),
    "FAULT",
  ];
  const cells = rows.map(({ server, origin, trust, status, tokens, ms }) => [
    escapeForDisplay(server),
    escapeForDisplay(origin),
    trust,
    status ? serverReport(status).state : "not used",
    status && tokens !== undefined ? String(status.toolCount) : "-",
    tokens === undefined ? "-" : String(tokens),
    ...(times ? [secondsShown(ms)] : []),
    status ? noteOf(status) : "another row of this name is used",
  ]);
  const styleOf = (cell: string, column: number): Style | undefined =>
    column === PHASE_COLUMN ? (STATE_STYLES[cell] ?? "yellow") : undefined;
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
