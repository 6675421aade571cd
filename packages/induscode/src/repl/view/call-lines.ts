import { escapeForDisplay, showDuration } from "indusagi/core";
import type { ToolCallPart, ToolContentBlock } from "indusagi/llm";
import type { ProgressNote, ToolEntry } from "indusagi/runtime";
import { fitWidth, type Look, paint } from "../../screen/internal.ts";

/** A call that runs. */
export interface RunningCall {
  readonly call: ToolCallPart;
  readonly startMs: number;
  readonly note?: ProgressNote;
}

const MAX_LINES = 6;
const SPINNER = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"] as const;
/** How long one picture of the spinner stays. */
const SPIN_MS = 100;

/** One line for each running call: its name, its arguments in brief, its time and its progress. */
export function runningLines(calls: readonly RunningCall[], nowMs: number, width: number): readonly string[] {
  const rest = calls.length > MAX_LINES ? calls.length - MAX_LINES + 1 : 0;
  const spin = SPINNER[Math.floor(nowMs / SPIN_MS) % SPINNER.length] ?? "";
  const lines = calls.slice(0, calls.length - rest).map(({ call, startMs, note }) => {
    const time = showDuration(Math.floor((nowMs - startMs) / 1000) * 1000);
    const progress = note ? ` ${progressText(note)}` : "";
    return fitWidth(`${spin} ${callText(call)}  ${time}${progress}`, width - 1);
  });
  return rest > 0 ? [...lines, `… and ${rest} more calls`] : lines;
}

/** The line that stays when a call has ended, and for a failure its first lines. */
export function endedLine(entry: ToolEntry, width: number, { hasColours }: Look): string {
  const mark = entry.isError ? "✗" : "✓";
  const text = fitWidth(`${mark} ${callText({ name: entry.name, input: entry.given })}`, width - 1);
  const shown = hasColours ? text.replace(mark, paint(entry.isError ? "red" : "green", mark)) : text;
  if (!entry.isError) return shown;
  const why = firstLines(entry.content).map((line) => `  ${fitWidth(line, width - 3)}`);
  return [shown, ...why].join("\n");
}

/** A name and the arguments in brief, on one line. */
function callText({ name, input }: Pick<ToolCallPart, "name" | "input">): string {
  return `${escapeForDisplay(name)}(${argumentText(input)})`;
}

function argumentText(input: unknown): string {
  if (typeof input !== "object" || input === null) return oneLine(valueText(input));
  const members = Object.entries(input as { readonly [name: string]: unknown });
  const [first] = members;
  // A single text, such as a path or a command, speaks for itself.
  if (members.length === 1 && typeof first?.[1] === "string") return oneLine(first[1]);
  return members.map(([name, value]) => `${oneLine(name)}: ${oneLine(valueText(value))}`).join(", ");
}

const MAX_VALUE_CHARS = 200;

function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function oneLine(text: string): string {
  return escapeForDisplay(text.slice(0, MAX_VALUE_CHARS).replaceAll(/\s+/g, " ").trim());
}

function progressText({ progress, total, message }: ProgressNote): string {
  const count = total === undefined ? "" : `${Math.floor((100 * progress) / Math.max(total, 1))} %`;
  return [count, message === undefined ? "" : oneLine(message)].filter((text) => text !== "").join(" ");
}

const MAX_REASON_LINES = 3;

function firstLines(content: readonly ToolContentBlock[]): readonly string[] {
  const text = content
    .map((block) => (block.kind === "text" ? block.text : (JSON.stringify(block.value) ?? "")))
    .join("\n");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, MAX_REASON_LINES)
    .map((line) => escapeForDisplay(line));
}
