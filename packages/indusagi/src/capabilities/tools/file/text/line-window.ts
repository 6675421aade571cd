import { cutText } from "../../../../core/index.ts";

export interface LineWindowOptions {
  /** The first line wanted, counted from 1. */
  readonly offset: number;
  /** How many lines are wanted. */
  readonly limit: number;
  /** Bytes of text wanted at most; no line is taken that does not fit whole. */
  readonly maxBytes: number;
  /** Longer lines are cut to this many characters. */
  readonly maxLineChars: number;
  /** Bytes every line costs beside its own: its number, its line feed. */
  readonly bytesPerLine?: number;
}

/** Why no more lines are taken. */
export type WindowEnd = "open" | "limit" | "bytes";

/** What came after a line's last byte. With `given up` nobody knows: it was too long to be waited for. */
type LineEnd = "newline" | "end of file" | "given up";

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Takes a window of lines out of a file that is pushed through in pieces of UTF-8. Memory stays at the window's size
 * whatever the file's: of a long line only the beginning is kept, of lines outside the window only their number.
 */
export class LineWindow {
  readonly lines: string[] = [];
  /** Lines seen so far, an unfinished last one not counted. */
  lineCount = 0;
  end: WindowEnd = "open";
  /** How many of the lines taken end in CRLF, and how many in LF alone. */
  readonly endings: { crlf: number; lf: number } = { crlf: 0, lf: 0 };
  /** Some bytes of the lines taken are not UTF-8 and were replaced. */
  hasInvalidBytes = false;
  /** Bytes pushed since the window was reached without another line being taken: the wait for little or nothing. */
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

  /** No more will be pushed: what is left without a newline is a line, too, of which there may be more. */
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
    // Copied: a view would keep the whole piece of the file in memory.
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
    // The first line is always taken: it has been cut to a bearable length, and nothing at all would help nobody.
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

/** Whether decoding put a replacement character where the bytes had none. */
function wasReplaced(bytes: Buffer, text: string): boolean {
  if (!text.includes("\ufffd")) return false;
  const again = Buffer.from(text);
  return !again.equals(bytes.subarray(0, again.length));
}
