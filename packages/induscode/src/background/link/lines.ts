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
