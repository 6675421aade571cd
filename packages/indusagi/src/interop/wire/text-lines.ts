import { StringDecoder } from "node:string_decoder";

export interface TextLinesOptions {
  /** A longer line is cut; the rest of it is dropped. */
  readonly maxChars: number;
  /** Called for each non-empty line, without its line end. */
  readonly onLine: (line: string, isCut: boolean) => void;
}

/** Splits a byte stream into lines of limited length, with the memory of one line. */
export class TextLines {
  readonly #options: TextLinesOptions;
  readonly #decoder = new StringDecoder("utf8");
  #line = "";
  #isCut = false;

  constructor(options: TextLinesOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk));
  }

  /** The stream has ended: the rest is a line too. */
  end(): void {
    this.#take(this.#decoder.end());
    this.#finish();
  }

  #take(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#add(text.slice(start, end));
      this.#finish();
      start = end + 1;
    }
    this.#add(text.slice(start));
  }

  #add(text: string): void {
    const room = this.#options.maxChars - this.#line.length;
    this.#line += text.slice(0, room);
    this.#isCut ||= text.length > room;
  }

  #finish(): void {
    const line = this.#line.trimEnd();
    if (line !== "") this.#options.onLine(line, this.#isCut);
    this.#line = "";
    this.#isCut = false;
  }
}
