export interface LineWindowOptions {
  /** The first line wanted, counted from 1. */
  readonly offset: number;
  /** How many lines are wanted. */
  readonly limit: number;
  /** Bytes of text wanted at most; no line is taken that does not fit whole. */
  readonly maxBytes: number;
  /** Longer lines are cut to this many characters. */
  readonly maxLineChars: number;
}

/** Why no more lines are taken. */
export type WindowEnd = "open" | "limit" | "bytes";

const NEWLINE = 0x0a;

/**
 * Takes a window of lines out of a file that is pushed through in pieces of UTF-8. Memory stays at the window's size
 * whatever the file's: of a long line only the beginning is kept, of lines outside the window only their number.
 */
export class LineWindow {
  readonly lines: string[] = [];
  /** Lines seen so far, an unfinished last one not counted. */
  lineCount = 0;
  end: WindowEnd = "open";
  usesCrlf = false;
  readonly #options: LineWindowOptions;
  readonly #keepBytes: number;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #lineBytes = 0;
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
      this.#endLine();
      start = at + 1;
    }
    this.#addPart(bytes.subarray(start));
  }

  /** The file has ended: what is left without a newline is a line, too. */
  finish(): void {
    if (this.#lineBytes > 0) this.#endLine();
  }

  #addPart(part: Buffer): void {
    this.#lineBytes += part.length;
    if (this.end !== "open" || this.lineCount + 1 < this.#options.offset) return;
    const room = this.#keepBytes - this.#keptBytes;
    if (room <= 0 || part.length === 0) return;
    // Copied: the piece may be part of a buffer that is about to be reused.
    const kept = Buffer.from(part.subarray(0, room));
    this.#kept.push(kept);
    this.#keptBytes += kept.length;
  }

  #endLine(): void {
    this.lineCount++;
    if (this.end === "open" && this.lineCount >= this.#options.offset) this.#take();
    this.#kept = [];
    this.#keptBytes = 0;
    this.#lineBytes = 0;
  }

  #take(): void {
    if (this.lines.length >= this.#options.limit) {
      this.end = "limit";
      return;
    }
    const line = this.#lineText();
    const size = Buffer.byteLength(line) + 1;
    // The first line is always taken: it has been cut to a bearable length, and nothing at all would help nobody.
    if (this.lines.length > 0 && this.#takenBytes + size > this.#options.maxBytes) {
      this.end = "bytes";
      return;
    }
    this.lines.push(line);
    this.#takenBytes += size;
  }

  #lineText(): string {
    let text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(this.#kept, this.#keptBytes));
    if (text.endsWith("\r") && this.#lineBytes <= this.#keptBytes) {
      this.usesCrlf = true;
      text = text.slice(0, -1);
    }
    if (text.length <= this.#options.maxLineChars) return text;
    const cut = cutAt(text, this.#options.maxLineChars);
    return `${cut}... [line cut: ${this.#lineBytes - Buffer.byteLength(cut)} more bytes]`;
  }
}

/** The first `length` units of a text, one fewer where that would split a surrogate pair. */
function cutAt(text: string, length: number): string {
  const splitsPair = /[\ud800-\udbff]$/.test(text.slice(length - 1, length));
  return text.slice(0, splitsPair ? length - 1 : length);
}
