import { escapeForDisplay } from "indusagi/core";
import type { ToolContentBlock, UserMessage } from "indusagi/llm";
import { blockText, type ToolEntry, type TranscriptEntry } from "indusagi/runtime";

/** A conversation as Markdown. Long tool results are shortened as the model saw them. */
export function exportMarkdown(
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
