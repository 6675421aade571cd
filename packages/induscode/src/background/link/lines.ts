/** Cuts a stream of bytes into lines, without their ends. */
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
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      this.#end();
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

  #end(): void {
    const [first] = this.#rest;
    const line = this.#rest.length === 1 && first ? first : Buffer.concat(this.#rest);
    const isWhole = this.#restBytes <= this.#maxBytes;
    this.#rest = [];
    this.#restBytes = 0;
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
  #waiting: { readonly bytes: Buffer; readonly onWritten: () => void }[] = [];
  #waitingBytes = 0;
  #isBusy = false;
  #isWriting = false;
  #onEmpty: (() => void) | undefined;

  /** `onBusy`: whether whoever writes should wait. */
  constructor(stream: NodeJS.WritableStream, onBusy: (isBusy: boolean) => void) {
    this.#stream = stream;
    this.#onBusy = onBusy;
  }

  write(line: Buffer, onWritten: () => void = () => {}): void {
    const bytes = Buffer.concat([line, END]);
    this.#waiting.push({ bytes, onWritten });
    this.#waitingBytes += bytes.length;
    this.#next();
    this.#tellBusy();
  }

  /** Ends the stream after what was written. */
  end(): void {
    this.#onEmpty = () => void this.#stream.end();
    this.#next();
  }

  #next(): void {
    if (this.#isWriting) return;
    const next = this.#waiting.shift();
    if (!next) return this.#onEmpty?.();
    this.#isWriting = true;
    this.#stream.write(next.bytes, (thrown) => {
      if (thrown) return; // What is left was never written.
      this.#isWriting = false;
      this.#waitingBytes -= next.bytes.length;
      next.onWritten();
      this.#next();
      this.#tellBusy();
    });
  }

  #tellBusy(): void {
    const isBusy = this.#waitingBytes > BUSY_BYTES;
    if (isBusy !== this.#isBusy) this.#onBusy((this.#isBusy = isBusy));
  }
}

const END = Buffer.from("\n");
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
