import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { escapeForDisplay, systemClock } from "indusagi/core";
import type { ToolContentBlock, UserMessage } from "indusagi/llm";
import { blockText, type ResultStore, type ToolEntry, type TranscriptEntry } from "indusagi/runtime";
import type { SessionParts } from "../parts/session-parts.ts";
import { createResultFiles, resultFolder } from "./result-files.ts";
import { SessionState } from "./session-state.ts";
import { TranscriptFile } from "./transcript-file.ts";
import { TRANSCRIPT_VERSION, type TranscriptRecord } from "./transcript-record.ts";

/** What a session has said and done, in memory and on disk. */
export interface SessionRecord {
  readonly state: SessionState;
  /** Long tool results. */
  readonly results: ResultStore;
  append(record: TranscriptRecord): void;
  /** Text of an answer that is still arriving. */
  partial(text: string): void;
  flush(): Promise<void>;
  markdown(model: string): string;
  /** The transcript of a sub-agent, in its own folder. */
  openTask(id: string): { append(entry: TranscriptEntry): void; close(): Promise<void> };
  /** Removes the folder of a session in which nothing was said. */
  close(): Promise<void>;
}

type RecordParts = Pick<SessionParts, "id" | "cwd" | "folder" | "model" | "earlier" | "redact" | "clock">;

/** Throws if the transcript cannot be opened. */
export function createSessionRecord(parts: RecordParts, report: (message: string) => void): SessionRecord {
  const { id, cwd, folder, earlier, redact, clock = systemClock } = parts;
  const options = { report, redact };
  const file = new TranscriptFile(folder, { ...options, goodBytes: earlier?.goodBytes });
  const state = earlier?.state ?? new SessionState();
  const title = (of: string): TranscriptRecord => ({
    type: "session",
    version: TRANSCRIPT_VERSION,
    id: of,
    at: clock.nowMs(),
    cwd,
  });
  let isUsed = earlier !== undefined;
  const append = (record: TranscriptRecord): void => {
    isUsed ||= record.type === "turn";
    state.apply(record);
    file.append(record);
    if (record.type === "entry" && record.entry.kind === "assistant") file.clearPartial();
  };
  if (!earlier) append(title(id));
  if (earlier?.partial) append({ type: "entry", entry: cutOff(earlier.partial, state.model ?? parts.model) });
  // The program was killed before it recorded this, or was of an earlier version.
  if (state.isUnanswered && state.entries.at(-1)?.kind === "assistant") append(unansweredRewind(state));
  if (state.model !== parts.model) append({ type: "model", model: parts.model });
  return {
    state,
    results: createResultFiles(resultFolder(folder), options),
    append,
    partial: (text) => file.appendPartial(text),
    flush: async () => void (await file.flush()),
    markdown: (model) => exportMarkdown({ id, at: state.at, model }, state.entries),
    openTask: (task) => {
      const own = join(folder, "tasks", task);
      mkdirSync(own, { recursive: true, mode: 0o700 });
      const transcript = new TranscriptFile(own, options);
      transcript.append(title(task));
      return {
        append: (entry) => transcript.append({ type: "entry", entry }),
        close: () => transcript.close(),
      };
    },
    close: async () => {
      await file.close();
      if (!isUsed) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The record that takes the last message, which nothing answered, out of the conversation. */
export function unansweredRewind({ turns }: SessionState): TranscriptRecord {
  return { type: "rewind", turn: turns.length, target: "conversation" };
}

/** What remains of an answer after a crash. */
function cutOff(text: string, model: string): TranscriptEntry {
  return { kind: "assistant", content: [{ kind: "text", text }], model, finish: "aborted" };
}

/** A conversation as Markdown. Long tool results are shortened as the model saw them. */
function exportMarkdown(
  { id, at, model }: { readonly id: string; readonly at: number; readonly model: string },
  entries: readonly TranscriptEntry[],
): string {
  const head = `# Session ${id}\n\nBegun ${new Date(at).toISOString()}, with ${model}.`;
  return `${[head, ...entries.map(entryText)].filter((text) => text !== "").join("\n\n")}\n`;
}

function entryText(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case "user":
      return `## User\n\n${userText(entry.content)}`;
    case "assistant":
      return assistantText(entry);
    case "tool":
      return `### ${calledTool(entry)}${entry.isError ? " (failed)" : ""}\n\n${fenced(entry.content.map(showBlock).join("\n"))}`;
    case "compaction":
      return entry.summary ? `## Summary of what came before\n\n${entry.summary.text}` : "";
  }
}

function assistantText({ content, model }: Extract<TranscriptEntry, { readonly kind: "assistant" }>): string {
  const parts = content.flatMap((part) => {
    if (part.kind === "text") return [part.text];
    return part.kind === "tool_call" ? [`Calls ${part.name}:\n\n${fenced(json(part.input))}`] : [];
  });
  return parts.length > 0 ? `## ${model}\n\n${parts.join("\n\n")}` : "";
}

/** The tool, and the one of a server that it called. */
function calledTool({ name, origin }: ToolEntry): string {
  return origin ? `${name}: ${escapeForDisplay(`${origin.tool} of ${origin.server}`)}` : name;
}

function userText(content: UserMessage["content"]): string {
  return content.map((part) => (part.kind === "text" ? part.text : `(image, ${part.mimeType})`)).join("\n\n");
}

function showBlock(block: ToolContentBlock): string {
  return blockText(block) ?? json((block as { readonly value: unknown }).value);
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? "";
}

/** With a fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
