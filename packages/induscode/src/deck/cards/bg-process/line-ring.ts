import { cutText } from "indusagi/core";

/** How many of the last lines of a stream are kept in memory. */
export const MAX_BUFFERED_LINES = 2_000;
/** Limits a stream with long lines; the log file has all of them. In UTF-16 units. */
const MAX_BUFFERED_CHARS = 512 * 1024;
const MAX_LINE_CHARS = 4_096;
const CUT_MARK = " [... the rest of this line is only in the log ...]";

/** A position in a stream: the number of complete lines before it, and the offset in the next line. */
export interface LineCursor {
  readonly line: number;
  readonly offset: number;
}

export const STREAM_START: LineCursor = { line: 0, offset: 0 };

/** A part of a stream. */
export interface StreamPart {
  readonly text: string;
  /** Lines before `text` that were dropped. */
  readonly skippedLines: number;
  /** Where the next part begins. */
  readonly next: LineCursor;
}

/** The last lines of a stream, in bounded memory. */
export class LineRing {
  /** Line n is at index n modulo the length. */
  readonly #lines: string[] = [];
  #first = 0;
  #count = 0;
  #chars = 0;
  /** The line that has not ended yet. */
  #open = "";

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.#extend(text.slice(from, end));
      this.#endLine();
      from = end + 1;
    }
    if (from < text.length) this.#extend(text.slice(from));
  }

  /** Everything after `since` that is still kept, with the line that has not ended yet. */
  read(since: LineCursor = STREAM_START): StreamPart {
    const start = Math.max(since.line, this.#first);
    const parts: string[] = [];
    for (let line = start; line < this.#count; line += 1)
      parts.push(`${this.#lines[line % MAX_BUFFERED_LINES] ?? ""}\n`);
    parts.push(this.#open);
    // The start of the line at the cursor was read before.
    if (start === since.line) parts[0] = parts[0]?.slice(since.offset) ?? "";
    return {
      text: parts.join(""),
      skippedLines: start - since.line,
      next: { line: this.#count, offset: this.#open.length },
    };
  }

  #extend(text: string): void {
    if (this.#open.length > MAX_LINE_CHARS) return; // Already cut.
    const line = this.#open + text;
    this.#open = line.length > MAX_LINE_CHARS ? cutText(line, MAX_LINE_CHARS) + CUT_MARK : line;
  }

  #endLine(): void {
    if (this.#count - this.#first === MAX_BUFFERED_LINES) this.#dropFirst();
    this.#lines[this.#count % MAX_BUFFERED_LINES] = ownCopy(this.#open);
    this.#count += 1;
    this.#chars += this.#open.length;
    this.#open = "";
    while (this.#chars > MAX_BUFFERED_CHARS) this.#dropFirst();
  }

  #dropFirst(): void {
    const index = this.#first % MAX_BUFFERED_LINES;
    this.#chars -= this.#lines[index]?.length ?? 0;
    this.#lines[index] = "";
    this.#first += 1;
  }
}

/** A slice keeps the whole string in memory; a copy does not. */
function ownCopy(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
