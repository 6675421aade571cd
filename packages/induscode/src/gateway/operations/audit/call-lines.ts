import { escapeForDisplay, showDuration } from "indusagi/core";
import { labelled, sizeShown } from "../../../screen/index.ts";
import { type Look, paint, type Style } from "../../../screen/internal.ts";
import { localTime } from "../../../servers/log/index.ts";
import type { CallRecord } from "./call-record.ts";

/** One call as a line: local time, who, what, how it ended, how long, and sizes. */
export function showCallRecord(record: CallRecord, { hasColours, width }: Look = {}): string {
  const { at, principal = "-", client, outcome, ms, argumentBytes, resultBytes, id } = record;
  const label = `${localTime(at)}  `;
  const words = [
    principal,
    ...(client === undefined ? [] : [`(${client})`]),
    whatWasUsed(record),
    outcome,
    showDuration(ms),
    `${sizeShown(argumentBytes)} in, ${sizeShown(resultBytes)} out`,
    id,
  ];
  const text = labelled(label, escapeForDisplay(words.join("  ")), width);
  if (!hasColours) return text;
  const rest = text.slice(label.length).trimEnd();
  const style = STYLES[outcome];
  return `${paint("dim", label.trimEnd())}  ${style ? paint(style, rest) : rest}\n`;
}

/** A resource has no name in the trail, so its server is shown. */
function whatWasUsed({ method, tool, prompt, resource, server }: CallRecord): string {
  if (tool !== undefined) return tool;
  return [method, prompt ?? [server, resource].join(" ")].join(" ");
}

const STYLES: { readonly [outcome: string]: Style } = {
  error: "yellow",
  refused: "yellow",
  unknown: "yellow",
  timeout: "red",
  failed: "red",
  cancelled: "dim",
};
