import { type Look, paint } from "../colour.ts";
import { isTableDivider } from "./is-markdown.ts";
import { renderLine } from "./render-line.ts";
import { tableLines } from "./table-lines.ts";

const FENCE = /^ {0,3}(```+|~~~+)/;

/** Markdown that arrives in pieces. What is complete is rendered at once; nothing rendered changes later. */
export interface MarkdownStream {
  /** Adds a piece and returns the lines that are complete now, rendered. */
  push(text: string): readonly string[];
  /** What arrived and is not rendered yet: the line in progress, and the rows of a table in progress. As written. */
  rest(): string;
  /** Renders what is left. The stream can be used again after it. */
  end(): readonly string[];
}

/** The text must be safe to show already. */
export function markdownStream(look: Look): MarkdownStream {
  return new Rendering(look);
}

class Rendering implements MarkdownStream {
  readonly #look: Look;
  /** The line in progress. */
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

  /** Renders the lines that waited: a table, or a line that was none. */
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

/** The same mark as at the beginning, at least as often, and nothing else. */
function isClosing(line: string, fence: string): boolean {
  return line.startsWith(fence) && line === fence.charAt(0).repeat(line.length);
}
