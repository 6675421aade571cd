import { cutText } from "../../../core/index.ts";

export interface LineWindowOptions {
  /** The first line to take, counted from 1. */
  readonly offset: number;
  /** How many lines to take. */
  readonly limit: number;
  /** At most this many bytes of text; a line that does not fit whole is not taken. */
  readonly maxBytes: number;
  /** Longer lines are cut to this many characters. */
  readonly maxLineChars: number;
  /** Bytes added to each line in the answer: its number and its line feed. */
  readonly bytesPerLine?: number;
}

/** Why no more lines are taken; `open` while lines are still taken. */
export type WindowEnd = "open" | "limit" | "bytes";

/** What ended a line. `given up`: the line was too long, so reading stopped inside it. */
type LineEnd = "newline" | "end of file" | "given up";

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Takes a window of lines out of a file that is pushed through in chunks of UTF-8. Memory use depends on the window,
 * not on the file: only the start of a long line is kept, and lines outside the window are only counted.
 */
export class LineWindow {
  readonly lines: string[] = [];
  /** Complete lines so far. */
  lineCount = 0;
  end: WindowEnd = "open";
  /** How many of the lines taken end in CRLF, and how many in LF alone. */
  readonly endings: { crlf: number; lf: number } = { crlf: 0, lf: 0 };
  /** Some bytes of the taken lines are not UTF-8 and were replaced. */
  hasInvalidBytes = false;
  /** Bytes pushed since the last line was taken, or since the window was reached. */
  idleBytes = 0;
  readonly #options: LineWindowOptions;
  readonly #keepBytes: number;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #lineBytes = 0;
  #endsInCr = false;
  #takenBytes = 0;

  constructor(options: LineWindowOptions) {
    this.#options = options;
    this.#keepBytes = options.maxLineChars * 4 + 4;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, start)) {
      this.#addPart(bytes.subarray(start, at));
      this.#endLine("newline");
      start = at + 1;
    }
    this.#addPart(bytes.subarray(start));
  }

  /** Ends the last line, which has no newline. */
  finish(rest: Exclude<LineEnd, "newline">): void {
    if (this.#lineBytes > 0) this.#endLine(rest);
  }

  #addPart(part: Buffer): void {
    if (part.length === 0) return;
    this.#lineBytes += part.length;
    this.#endsInCr = part[part.length - 1] === CARRIAGE_RETURN;
    if (this.lineCount + 1 < this.#options.offset) return;
    this.idleBytes += part.length;
    const room = this.#keepBytes - this.#keptBytes;
    if (this.end !== "open" || room <= 0) return;
    // Copied: a view would keep the whole chunk in memory.
    const kept = Buffer.from(part.subarray(0, room));
    this.#kept.push(kept);
    this.#keptBytes += kept.length;
  }

  #endLine(by: LineEnd): void {
    this.lineCount++;
    if (this.lineCount >= this.#options.offset) {
      this.idleBytes++;
      if (this.end === "open") this.#take(by);
    }
    this.#kept = [];
    this.#keptBytes = 0;
    this.#lineBytes = 0;
    this.#endsInCr = false;
  }

  #take(by: LineEnd): void {
    const { maxBytes, limit, bytesPerLine = 1 } = this.#options;
    const text = this.#lineText(by);
    const size = Buffer.byteLength(text) + bytesPerLine;
    // The first line is always taken: it is already cut, and an empty window is useless.
    if (this.lines.length > 0 && this.#takenBytes + size > maxBytes) {
      this.end = "bytes";
      return;
    }
    this.lines.push(text);
    if (by === "newline") this.endings[this.#endsInCr ? "crlf" : "lf"]++;
    this.#takenBytes += size;
    this.idleBytes = 0;
    if (this.lines.length >= limit) this.end = "limit";
  }

  #lineText(by: LineEnd): string {
    const { maxLineChars } = this.#options;
    const bytes = Buffer.concat(this.#kept, this.#keptBytes);
    const isKept = by !== "given up" && this.#keptBytes === this.#lineBytes;
    const words = isKept && by === "newline" && this.#endsInCr ? bytes.subarray(0, -1) : bytes;
    const decoded = utf8.decode(words);
    const isWhole = isKept && decoded.length <= maxLineChars;
    const shown = isWhole ? decoded : cutText(decoded, maxLineChars);
    this.hasInvalidBytes ||= wasReplaced(words, shown);
    const size = `${by === "given up" ? "more than " : ""}${this.#lineBytes} bytes`;
    return isWhole ? shown : `${shown}... [line cut here; it has ${size}]`;
  }
}

/** Whether decoding added a replacement character that the bytes do not contain. */
function wasReplaced(bytes: Buffer, text: string): boolean {
  if (!text.includes("\ufffd")) return false;
  const again = Buffer.from(text);
  return !again.equals(bytes.subarray(0, again.length));
}
