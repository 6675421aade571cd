import { escapeForDisplay, shortenText, showDuration, showName } from "indusagi/core";
import { labelled } from "../../screen/index.ts";
import { type Look, paint } from "../../screen/internal.ts";
import { MAX_NOTE_CHARS, shownState } from "../doctor/status.ts";
import type { ServerLogEntry } from "./log-entry.ts";

export interface LogLinesOptions extends Look {
  /** Show which server each line is about. */
  readonly withServer: boolean;
}

/** One line of a log: local time, server, and what happened. */
export function showLogEntry(
  entry: ServerLogEntry,
  { withServer, hasColours, width }: LogLinesOptions,
): string {
  const server = withServer ? `${showName(entry.server)}  ` : "";
  const label = `${localTime(entry.at)}  ${server}`;
  const text = labelled(label, escapeForDisplay(happened(entry)), width);
  if (!hasColours) return text;
  const rest = text.slice(label.length);
  const isBad = "error" in entry && entry.error !== undefined;
  return `${paint("dim", label.trimEnd())}  ${isBad ? paint("red", rest.trimEnd()) : rest.trimEnd()}\n`;
}

function happened(entry: ServerLogEntry): string {
  switch (entry.kind) {
    case "stderr":
      return `| ${entry.line}`;
    case "state":
      return shortenText(shownState(entry.text), MAX_NOTE_CHARS);
    case "dropped":
      return `(${entry.count} more in a short time are not shown)`;
    case "sent":
    case "received":
      return messageText(entry);
  }
}

function messageText(entry: ServerLogEntry & { readonly kind: "sent" | "received" }): string {
  const { kind, method = "answer", isAnswer, target, ms, error, note } = entry;
  const arrow = kind === "sent" ? "→" : "←";
  const failure = error ? `error ${error.code}: ${error.message}` : undefined;
  const words = [
    arrow,
    isAnswer ? `answer to ${method}` : method,
    target === undefined ? undefined : showName(target),
    ms === undefined ? undefined : `(${showDuration(ms)})`,
  ].filter((word) => word !== undefined);
  const said = shortenText(failure ?? note ?? "", MAX_NOTE_CHARS);
  return `${words.join(" ")}${said === "" ? "" : `: ${said}`}`;
}

/** `2026-11-16 03:24:42.361` in the local time zone. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const two = (value: number, digits = 2): string => String(value).padStart(digits, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map((value) => two(value)).join(":");
  return `${day} ${time}.${two(at.getMilliseconds(), 3)}`;
}
