/** Cuts a stream of bytes into lines. Each is given with its end: most are passed on, and that way they need not be copied. */
export class LineCutter {
  #rest: Buffer[] = [];
  #restBytes = 0;
  readonly #maxBytes: number;
  readonly #onLine: (line: Buffer) => void;
  readonly #onOverflow: () => void;

  /** A longer line is dropped, and `onOverflow` called. */
  constructor(
    onLine: (line: Buffer) => void,
    { maxBytes, onOverflow }: { readonly maxBytes: number; readonly onOverflow: () => void },
  ) {
    this.#onLine = onLine;
    this.#maxBytes = maxBytes;
    this.#onOverflow = onOverflow;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = start === 0 && end === chunk.length - 1 ? chunk : chunk.subarray(start, end + 1);
      start = end + 1;
      if (this.#restBytes === 0 && line.length <= this.#maxBytes) this.#onLine(line);
      else this.#end(line);
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** Takes what has arrived of a line that is not complete, for another reader of the same stream. */
  takeRest(): Buffer {
    const rest = Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    return rest;
  }

  #keep(part: Buffer): void {
    this.#restBytes += part.length;
    if (this.#restBytes <= this.#maxBytes) this.#rest.push(part);
    else this.#rest = [];
  }

  #end(last: Buffer): void {
    this.#keep(last);
    const isWhole = this.#restBytes <= this.#maxBytes;
    const line = this.takeRest();
    if (isWhole) this.#onLine(line);
    else this.#onOverflow();
  }
}

const NEWLINE = 0x0a;

/**
 * Writes lines one at a time, so that of each it is known whether it has left this process as a whole: when several are written at
 * once and that fails, the first of them may have arrived all the same.
 */
export class LineWriter {
  readonly #stream: NodeJS.WritableStream;
  readonly #onBusy: (isBusy: boolean) => void;
  #waiting: { readonly line: Buffer; readonly onWritten: () => void }[] = [];
  #waitingBytes = 0;
  #isBusy = false;
  #isWriting = false;
  #onEmpty: (() => void) | undefined;

  /** `onBusy`: whether whoever writes should wait. */
  constructor(stream: NodeJS.WritableStream, onBusy: (isBusy: boolean) => void) {
    this.#stream = stream;
    this.#onBusy = onBusy;
  }

  /** The line has its end. */
  write(line: Buffer, onWritten: () => void = () => {}): void {
    this.#waitingBytes += line.length;
    if (this.#isWriting) this.#waiting.push({ line, onWritten });
    else this.#write(line, onWritten);
    this.#tellBusy();
  }

  /** Ends the stream after what was written. */
  end(): void {
    this.#onEmpty = () => void this.#stream.end();
    if (!this.#isWriting) this.#onEmpty();
  }

  #write(line: Buffer, onWritten: () => void): void {
    this.#isWriting = true;
    this.#stream.write(line, (thrown) => {
      if (thrown) return; // What is left was never written.
      this.#isWriting = false;
      this.#waitingBytes -= line.length;
      onWritten();
      const next = this.#waiting.shift();
      if (next) this.#write(next.line, next.onWritten);
      else this.#onEmpty?.();
      this.#tellBusy();
    });
  }

  #tellBusy(): void {
    const isBusy = this.#waitingBytes > BUSY_BYTES;
    if (isBusy !== this.#isBusy) this.#onBusy((this.#isBusy = isBusy));
  }
}

const BUSY_BYTES = 64 * 1024;

/** Lines of our own among the messages of MCP, which begin with a brace. */
const CONTROL = "!";

export function controlLine(content: object): string {
  return `${CONTROL}${JSON.stringify(content)}\n`;
}

/** The content of a line of our own. Undefined: it is none. */
export function readControl(line: Buffer): { readonly [member: string]: unknown } | undefined {
  if (line[0] !== 0x21) return undefined;
  return readObject(line.subarray(1)) ?? {};
}

/** The JSON object in a line. Undefined if there is none. */
export function readObject(line: Buffer): { readonly [member: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as { readonly [member: string]: unknown })
      : undefined;
  } catch {
    return undefined;
  }
}
