import { escapeForDisplay, isoTime, shortenText, showDuration, showName } from "indusagi/core";
import type { EndpointStatus, LoginStatus } from "indusagi/interop";
import { LIST_FAILED, serverReport } from "./server-report.ts";

// Lines about servers for people. Programs get `plainStatus`, with the states of the API.

/** Words that people read instead of a state or a trust of the API. */
const WORDS: { readonly [word: string]: string } = {
  faulted: "failed",
  tripped: "stopped retrying",
  needs_login: "needs login",
  own: "yours",
};

/** A state, phase or trust as people read it. */
export function shownWord(word: string): string {
  return WORDS[word] ?? word;
}

/** One line about a server that was started once: whether it works, how long it took, and why it failed. */
export function showStart(status: EndpointStatus, ms: number): string {
  const name = showName(status.server);
  const { standing, hasFailed } = serverReport(status);
  if (standing === "disabled") return `${name}: disabled`;
  const time = showDuration(ms);
  if (hasFailed) return `${name}: failed after ${time}: ${noteOf(status)}`;
  return `${name}: ready after ${time}, ${toolCount(status)}`;
}

/** More lines would push everything else off the screen. */
const MAX_WAITING_LINES = 10;

/** A terminal echoes `^C` after the last line. If that wrapped, the lines could not be erased. */
const INTERRUPT_CHARS = 3;

/** One line for each server that is still starting, with its name cut to the width. Empty if there is none. */
export function showWaiting(pending: readonly string[], elapsedMs: number, width = 80): string {
  const rest = pending.length > MAX_WAITING_LINES ? pending.length - MAX_WAITING_LINES + 1 : 0;
  const shown = pending.slice(0, pending.length - rest);
  const state = `: starting, ${showDuration(Math.round(elapsedMs / 1000) * 1000)}`;
  const room = Math.max(1, width - state.length - INTERRUPT_CHARS);
  const lines = shown.map((server) => `${shortenText(escapeForDisplay(server), room)}${state}`);
  return [...lines, ...(rest > 0 ? [`… and ${rest} more`] : [])].join("\n");
}

/** One line about a server, for the log of a running gateway. */
export function showStatusLine(status: EndpointStatus): string {
  const text = shownState(stateText(status)).replace(LIST_FAILED, "cannot list its tools");
  return `server "${showName(status.server)}" ${/^(?:failed|stopped|needs|cannot)\b/.test(text) ? "" : "is "}${text}`;
}

/** The state of a server with its tools or the reason, such as `ready (3 tools)`, with the state of the API. */
export function stateText(status: EndpointStatus): string {
  const { state, isUsable, isConnected, isOutdated } = serverReport(status);
  const tools = isUsable && isConnected ? ` (${toolCount(status)})` : "";
  const note = isOutdated || tools === "" ? `: ${noteOf(status)}`.replace(/^: -$/, "") : "";
  // A server whose restarts keep failing stays `faulted` between them: showing each attempt would be noise.
  return `${state === "restarting" ? status.phase : state}${tools}${note}`;
}

/** A `stateText` as people read it. */
export function shownState(text: string): string {
  return text.replace(/^\w+/, shownWord);
}

function toolCount({ toolCount: count }: EndpointStatus): string {
  return `${count} ${count === 1 ? "tool" : "tools"}`;
}

/** A status as plain JSON: an error object would lose its message. */
export function plainStatus({ fault, ...status }: EndpointStatus): object {
  return { ...status, ...(fault ? { fault: { kind: fault.kind, message: fault.message } } : {}) };
}

/** Notes may quote names and texts of a server that would fill the screen. */
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
  return `logged in${who}${where}${until}${renewable ? ", then renewed automatically" : ""}`;
}

function timeShown(ms: number): string {
  return `${isoTime(ms).slice(0, 16).replace("T", " ")} UTC`;
}
