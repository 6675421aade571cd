import { escapeForDisplay } from "indusagi/core";
import type { ToolContentBlock } from "indusagi/llm";
import { showDiff, showMcpBlock } from "../../../screen/index.ts";
import { displayWidth, fitWidth, type Look, splitWidth, withoutJoiners } from "../../../screen/internal.ts";

/** The output of a tool on the screen. */
interface ToolOutput {
  /** Its first lines, each cut at the width, and how many more there are. */
  readonly preview: readonly string[];
  /** Whether the preview leaves something out. */
  readonly isCut: boolean;
  /** All lines, broken at the width. */
  readonly whole: () => readonly string[];
}

const INDENT = "  ";
const MAX_LINES = 4;
/** A change is what the user looks for: more of it is shown. */
const MAX_DIFF_LINES = 12;

/** What the model got from a tool, safe to show. */
export function toolOutput(
  content: readonly ToolContentBlock[],
  look: Look & { readonly width: number },
): ToolOutput {
  // The last column stays free: some terminals wrap there.
  const columns = look.width - 1 - INDENT.length;
  const parts = content.map((block) => blockLines(block, { ...look, width: columns }));
  const lines = parts.flatMap((part) => part.lines);
  const maxLines = parts.some(({ isDiff }) => isDiff) ? MAX_DIFF_LINES : MAX_LINES;
  // A line that says that one more follows takes as much room as that line.
  const shown = lines.length > maxLines + 1 ? lines.slice(0, maxLines) : lines;
  const rest = lines.length - shown.length;
  const isCut = rest > 0 || shown.some((line) => displayWidth(line) > columns);
  const more = rest > 0 ? [`… ${rest} more lines (Ctrl-O shows all)`] : isCut ? ["… (Ctrl-O shows all)"] : [];
  return {
    preview: [...shown, ...more].map((line) => INDENT + fitWidth(line, columns)),
    isCut,
    whole: () => lines.flatMap((line) => splitWidth(line, columns)).map((line) => INDENT + line),
  };
}

interface BlockLines {
  readonly lines: readonly string[];
  readonly isDiff: boolean;
}

function blockLines(block: ToolContentBlock, look: Look): BlockLines {
  if (block.kind === "text") return { lines: safeLines(block.text), isDiff: false };
  const { diff } = Object(block.value) as { readonly diff?: unknown };
  if (!block.mcp && typeof diff === "string")
    return { lines: showDiff(safeLines(diff).join("\n"), look), isDiff: true };
  // Images and other data are only named.
  const shown = block.mcp
    ? showMcpBlock(block.value, { isScreen: true, look: {}, save: () => "not shown" })
    : (JSON.stringify(block.value, undefined, 2) ?? "");
  return { lines: safeLines(shown), isDiff: false };
}

/** Without the empty lines around the text. */
function safeLines(text: string): readonly string[] {
  const lines = cleanText(text)
    .split("\n")
    .map((line) => line.trimEnd());
  const first = lines.findIndex((line) => line !== "");
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== "") + 1);
}

/** What the next piece may complete: a line break, joined emoji, or half of a surrogate pair. */
const HELD = /(?:\r|(?:\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?\u200d?){0,8}[\ud800-\udbff]?)$/u;

/** Escapes text that arrives in pieces. A character cut between two pieces waits for its rest. */
export class TextCleaner {
  #held = "";

  /** The piece, after what the previous one held back. */
  push(piece: string): string {
    const text = this.#held + piece;
    const end = HELD.exec(text)?.index ?? text.length;
    this.#held = text.slice(end);
    return cleanText(text.slice(0, end));
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return cleanText(rest);
  }
}

/** Text of several lines, safe to show. */
function cleanText(text: string): string {
  const lines = withoutJoiners(text).replaceAll(/\r\n?/g, "\n").replaceAll("\t", "    ");
  return escapeForDisplay(lines, { keepNewlines: true });
}
