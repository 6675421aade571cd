import { type Look, paint } from "./colour.ts";
import { displayWidth } from "./text/display-width.ts";
import { foldLine } from "./text/fold-line.ts";

const FENCE = /^ {0,3}(```+|~~~+)/;

/** Markdown that arrives in pieces. What is complete is rendered at once; nothing rendered changes later. */
export interface MarkdownStream {
  /** Adds a piece and returns the lines that are complete now, rendered. */
  push(text: string): readonly string[];
  /** What has arrived but is not rendered yet, as written: the current line, and the rows of an unfinished table. */
  rest(): string;
  /** Renders the rest. The stream can be used again afterwards. */
  end(): readonly string[];
}

/** The text must be safe to show already. */
export function markdownStream(look: Look): MarkdownStream {
  return new Rendering(look);
}

class Rendering implements MarkdownStream {
  readonly #look: Look;
  /** The current line. */
  #pending = "";
  /** The mark that opened a block of code. */
  #fence: string | undefined;
  /** A line that may be the header of a table, or a header with its divider and rows. */
  #held: string[] = [];

  constructor(look: Look) {
    this.#look = look;
  }

  push(text: string): readonly string[] {
    const [first = "", ...more] = text.split("\n");
    this.#pending += first;
    const shown: string[] = [];
    for (const next of more) {
      this.#take(this.#pending, shown);
      this.#pending = next;
    }
    return shown;
  }

  rest(): string {
    return [...this.#held, this.#pending].join("\n");
  }

  end(): readonly string[] {
    const shown: string[] = [];
    this.#take(this.#pending, shown);
    this.#release(shown);
    this.#pending = "";
    this.#fence = undefined;
    return shown;
  }

  #take(line: string, shown: string[]): void {
    const fence = this.#fence;
    if (fence !== undefined) {
      if (isClosing(line.trim(), fence)) this.#fence = undefined;
      else shown.push(codeLine(line, this.#look));
      return;
    }
    const isRow = this.#held.length === 1 ? isTableDivider(line) : line.includes("|");
    if (this.#held.length > 0 && isRow) {
      this.#held.push(line);
      return;
    }
    this.#release(shown);
    this.#fence = FENCE.exec(line)?.[1];
    if (this.#fence !== undefined) return;
    if (line.includes("|")) this.#held = [line];
    else shown.push(renderLine(line, this.#look));
  }

  /** Renders the held lines: a table, or a line that turned out not to be one. */
  #release(shown: string[]): void {
    const [header, divider, ...rows] = this.#held;
    this.#held = [];
    if (header === undefined) return;
    if (divider === undefined) shown.push(renderLine(header, this.#look));
    else shown.push(...tableLines([header, ...rows], this.#look));
  }
}

function codeLine(line: string, { hasColours }: Look): string {
  const code = `    ${line}`;
  return hasColours ? paint("dim", code) : code;
}

/** The opening mark again, at least as long, and nothing else. */
function isClosing(line: string, fence: string): boolean {
  return line.startsWith(fence) && line === fence.charAt(0).repeat(line.length);
}

const HEADING = /^ {0,3}#{1,6} +(.*)$/;
const CLOSING_HASHES = /\s#+$/;
const RULE = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const BULLET = /^(\s*)[-*+] +(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;

const RULE_CHARS = 40;

/** A line that is neither code nor part of a table. */
function renderLine(line: string, look: Look): string {
  if (RULE.test(line)) return "─".repeat(Math.min(look.width ?? RULE_CHARS, RULE_CHARS));
  const heading = HEADING.exec(line)?.[1];
  if (heading !== undefined) {
    const plain = renderInline(heading.replace(CLOSING_HASHES, ""), {});
    return look.hasColours ? paint("bold", plain) : plain;
  }
  const quoted = QUOTE.exec(line)?.[1];
  if (quoted !== undefined) return `│ ${renderInline(quoted, look)}`;
  const [, indent, item] = BULLET.exec(line) ?? [];
  return item === undefined ? renderInline(line, look) : `${indent}• ${renderInline(item, look)}`;
}

const GAP = "  ";
/** A narrower last column is hard to read. */
const MIN_LAST_COLUMNS = 20;

/**
 * A table without its marks, aligned. If it is wider than the screen, its last column is wrapped; if there is no room for
 * that, each cell gets a line with its column heading. Nothing is cut. `lines`: the header and the rows, without the divider.
 */
function tableLines(lines: readonly string[], look: Look): readonly string[] {
  const rows = lines.map(cellsOf);
  const count = rows.reduce((most, { length }) => Math.max(most, length), 0);
  const widths = Array.from({ length: count }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[column] ?? "")), 0),
  );
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0);
  // Leave the last column of the screen free.
  const room = (look.width ?? Number.POSITIVE_INFINITY) - 1 - before;
  if (room < Math.min(widths.at(-1) ?? 0, MIN_LAST_COLUMNS)) return cellLines(rows, look);
  const strong = (line: string): string => (look.hasColours ? paint("bold", line) : line);
  return rows.flatMap((row, at) => {
    const start = widths.slice(0, -1).map((width, column) => padded(row[column] ?? "", width) + GAP);
    const [first = "", ...more] = foldLine(row[count - 1] ?? "", room);
    const whole = [start.join("") + first, ...more.map((line) => " ".repeat(before) + line)];
    return whole.map((line) => (at === 0 ? strong(line.trimEnd()) : line.trimEnd()));
  });
}

/** Each row as lines `heading: cell`, with an empty line between rows. */
function cellLines([header = [], ...rows]: readonly (readonly string[])[], look: Look): readonly string[] {
  const label = (column: number): string => {
    const heading = header[column] ?? "";
    if (heading === "") return "";
    return look.hasColours ? `${paint("bold", heading)}: ` : `${heading}: `;
  };
  const shown = rows.map((row) =>
    row.flatMap((cell, column) => (cell === "" ? [] : [`${label(column)}${cell}`])),
  );
  return shown.flatMap((row, at) => (at === 0 ? row : ["", ...row]));
}

/** Cells are plain: colour codes would count as width, and a cell may be wrapped. */
function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => renderInline(cell.trim(), {}));
}

function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

// Each pattern stops at the next mark of its kind, so a line without closing marks takes linear time.
const CODE = /`([^`\n]+)`/g;
/** Placeholder for inline code while the other marks are removed. Text that is safe to show does not contain it. */
const PLACE = /\0(\d+)\0/g;
const IMAGE = /!\[([^[\]\n]*)\]\(([^()\s]*)\)/g;
const LINK = /\[([^[\]\n]*)\]\(([^()\s]*)\)/g;
const BARE_LINK = /<((?:https?|mailto):[^<>\s]+)>/g;
const BOLD =
  /(?<!\\)\*\*(?=\S)([^*\n]+)(?<=\S)\*\*|(?<![\p{L}\p{N}_\\])__(?=\S)([^_\n]+)(?<=\S)__(?![\p{L}\p{N}_])/gu;
const ITALIC =
  /(?<![\p{L}\p{N}*\\])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\p{L}\p{N}*])|(?<![\p{L}\p{N}_\\])_(?=\S)([^_\n]+)(?<=\S)_(?![\p{L}\p{N}_])/gu;
const STRUCK = /~~([^~\n]+)~~/g;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** Renders the inline Markdown of one line: bold text becomes bold, a link becomes its text and URL. */
function renderInline(line: string, look: Look): string {
  // Text in backticks contains no marks, but may be inside bold text or a link.
  const codes: string[] = [];
  const marked = line.replaceAll(CODE, (_, text: string) => `\0${codes.push(code(text, look)) - 1}\0`);
  return withoutMarks(marked, look).replaceAll(PLACE, (_, at: string) => codes[Number(at)] ?? "");
}

function code(text: string, { hasColours }: Look): string {
  return hasColours ? paint("cyan", text) : text;
}

function withoutMarks(text: string, { hasColours }: Look): string {
  return text
    .replaceAll(IMAGE, (_, label: string, address: string) => named(label, address))
    .replaceAll(LINK, (_, label: string, address: string) => named(label, address))
    .replaceAll(BARE_LINK, "$1")
    .replaceAll(BOLD, (_, stars?: string, lines?: string) => {
      const bold = stars ?? lines ?? "";
      return hasColours ? paint("bold", bold) : bold;
    })
    .replaceAll(ITALIC, (_, star?: string, line?: string) => star ?? line ?? "")
    .replaceAll(STRUCK, "$1")
    .replaceAll(ESCAPED, "$1");
}

function named(label: string, address: string): string {
  if (address === "" || label === address) return label;
  return label === "" ? address : `${label} (${address})`;
}

/** Only the start is examined. */
const MAX_CHARS = 20_000;

/** Marks that rarely occur in other text. A lone `#` may start a comment, so a heading needs a blank line next to it. */
const MARKS: readonly RegExp[] = [
  /^ {0,3}(?:```|~~~)/m,
  /(?:^|\n\n)#{1,6} \S[^\n]*(?:\n\n|$)/,
  /(?<![*\w])\*\*(?=\S)[^*\n]+(?<=\S)\*\*(?![*\w])/,
  /\[[^[\]\n]+\]\((?:https?:|\/|#|\.)[^()\s]*\)/,
];

/** Whether a text looks like Markdown. JSON and markup do not. */
export function isMarkdown(text: string): boolean {
  const beginning = text.slice(0, MAX_CHARS).trim();
  if (/^[[{<]/.test(beginning)) return false;
  return MARKS.some((mark) => mark.test(beginning)) || beginning.split("\n").some(isTableDivider);
}

/** The line below a table header, such as `| --- | :-: |`. */
function isTableDivider(line: string): boolean {
  return line.includes("|") && line.includes("---") && /^[ :|-]+$/.test(line.trim());
}

/**
 * Markdown as plain text for a terminal: without its marks, headings and bold text bold, tables aligned. Lines are not
 * filled again. The text must be safe to show already.
 */
export function renderMarkdown(text: string, look: Look): string {
  const stream = markdownStream(look);
  return [...stream.push(text), ...stream.end()].join("\n");
}
