import { escapeForDisplay, showDuration } from "indusagi/core";
import type { ToolContentBlock } from "indusagi/llm";
import { blockText, type ToolOutcome, type ToolResult } from "indusagi/runtime";
import type { Look } from "../colour.ts";
import { paintDiffs } from "../diff.ts";
import { showJson } from "../json.ts";
import type { ContentView } from "./content-view.ts";
import { showMcpBlock } from "./mcp-block.ts";

/** Where an outcome is printed. */
export interface OutcomeTarget {
  out(text: string): void;
  err(text: string): void;
  readonly outIsScreen?: boolean;
  readonly outLook?: Look;
  readonly errLook?: Look;
}

export interface PrintOptions {
  /** Print the whole outcome as JSON to `out`. */
  readonly json: boolean;
  /** Stores images and other binary content. Set for tools of servers, whose text may be Markdown. */
  readonly save?: ContentView["save"];
}

/** Prints an outcome: the answer to `out`, and a failure to `err`. */
export function printOutcome(
  target: OutcomeTarget,
  outcome: ToolOutcome,
  { json, save }: PrintOptions,
): void {
  const { outIsScreen = false, outLook = {}, errLook = {} } = target;
  const shown = (isScreen: boolean, look: Look): string =>
    save ? showAnswer(outcome.result, { isScreen, look, save }) : showNative(outcome, isScreen, look);
  if (json) target.out(showOutcomeJson(outcome));
  else if (!outcome.isError) target.out(shown(outIsScreen, outLook));
  if (outcome.isError) target.err(shown(true, errLook) || "the tool failed without giving a reason\n");
}

/** The answer of a server's tool: its blocks, and its structured content if there is no text, which says the same for people. */
function showAnswer({ content, structured }: ToolResult, view: ContentView): string {
  const blocks = content.map((block) => showMcpBlock(mcpForm(block), view));
  const hasText = content.some((block) => hasWords(mcpForm(block)));
  const parts = structured === undefined || hasText ? blocks : [...blocks, showJson(structured)];
  const text = parts.join("\n").trimEnd();
  return text === "" ? "" : `${text}\n`;
}

function mcpForm(block: ToolContentBlock): unknown {
  return block.kind === "text" ? { type: "text", text: block.text } : block.value;
}

function hasWords(block: unknown): boolean {
  const { type, text } = (block ?? {}) as { readonly type?: unknown; readonly text?: unknown };
  return type === "text" && typeof text === "string" && text.trim() !== "";
}

function showNative(outcome: ToolOutcome, isScreen: boolean, { hasColours }: Look): string {
  const text = showOutcome(outcome);
  const safe = isScreen ? onScreen(text) : text;
  return hasColours ? paintDiffs(safe) : safe;
}

/** The message for a call that timed out. */
export function noAnswerMessage(name: string, timeoutMs = 0): string {
  return `no answer from ${name} within ${showDuration(timeoutMs)}; allow more time with --timeout`;
}

/** The text of an outcome: text blocks as text, other blocks as JSON, and structured content if there are no blocks. */
function showOutcome({ result }: ToolOutcome): string {
  if (result.content.length > 0) return `${result.content.map(showBlock).join("\n").trimEnd()}\n`;
  return result.structured === undefined ? "" : showJson(result.structured);
}

/** The whole outcome as JSON: the server's own result if there is one. */
function showOutcomeJson({ result, isError, fault, wire }: ToolOutcome): string {
  return showJson(wire?.value() ?? { isError, ...result, fault });
}

/** Text for a terminal, with control characters escaped. */
function onScreen(text: string): string {
  return escapeForDisplay(text, { keepNewlines: true });
}

function showBlock(block: ToolContentBlock): string {
  if (block.kind === "text") return block.text;
  return diffIn(block.value) ?? blockText(block) ?? JSON.stringify(block.value, undefined, 2);
}

/** The diff in the result of an edit. The text before it names the file and the number of replacements. */
function diffIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { path, diff } = value as { readonly path?: unknown; readonly diff?: unknown };
  return typeof path === "string" && typeof diff === "string" ? diff : undefined;
}
