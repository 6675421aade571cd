const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Longer keys and ids are not kept. */
const MAX_TOKEN = 128;

/**
 * Finds the members `id`, `result` and `error` of a JSON-RPC message that is too long to parse. It reads the bytes
 * once, in pieces of any size, and keeps only the current key and the id.
 */
export class MessageScanner {
  /** The id, wherever it is in the message. If there are two, the last counts, as in a parser. */
  id: number | string | undefined;
  /** True as soon as a result or an error has begun. */
  isAnswer = false;
  #depth = 0;
  #isInString = false;
  /** The last byte was a backslash that escapes the next one. */
  #isEscaped = false;
  /** In the object of the message, the next string is a key. */
  #isKeyNext = false;
  #key: string | undefined;
  /** The bytes of a key, or of the value of `id`. */
  #token: number[] | undefined;

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (!this.#token && (this.#depth > 1 || this.#isInString)) at = this.#skip(bytes, at);
      if (at === bytes.length) return;
      const byte = bytes[at] as number;
      if (this.#isInString) this.#readString(byte);
      else this.#read(byte);
    }
  }

  /**
   * Skips everything that is neither a key nor an id: nearly all bytes of a large message, so the loop uses local variables.
   * Returns the index of the next byte to read.
   */
  #skip(bytes: Uint8Array, start: number): number {
    let depth = this.#depth;
    let isInString = this.#isInString;
    let isEscaped = this.#isEscaped;
    let at = start;
    for (; at < bytes.length && (depth > 1 || isInString); at += 1) {
      const byte = bytes[at];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === 0x7b || byte === 0x5b) depth += 1;
      else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    }
    this.#depth = depth;
    this.#isInString = isInString;
    this.#isEscaped = isEscaped;
    return at;
  }

  #read(byte: number): void {
    if (byte === QUOTE) this.#beginString();
    else if (byte === 0x7b || byte === 0x5b) this.#open(byte === 0x7b);
    else if (byte === 0x7d || byte === 0x5d) this.#close();
    else if (this.#depth !== 1) return;
    else if (byte === COMMA) this.#endMember();
    else if (byte === COLON) this.#beginValue();
    else this.#keep(byte);
  }

  /** Reads a byte of a key, or of an id that is a string. */
  #readString(byte: number): void {
    this.#keep(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#endString();
  }

  #beginString(): void {
    this.#isInString = true;
    if (this.#depth !== 1) return;
    if (this.#isKeyNext) this.#token = [];
    this.#keep(QUOTE);
  }

  #endString(): void {
    this.#isInString = false;
    if (this.#depth !== 1 || !this.#isKeyNext) return;
    this.#isKeyNext = false;
    this.#key = parsed(this.#token) as string | undefined;
    this.#token = undefined;
  }

  #open(isObject: boolean): void {
    this.#depth += 1;
    this.#token = undefined;
    if (this.#depth === 1) this.#isKeyNext = isObject;
  }

  #close(): void {
    if (this.#depth === 1) this.#endMember();
    this.#depth -= 1;
  }

  #beginValue(): void {
    this.#isKeyNext = false;
    this.#token = this.#key === "id" ? [] : undefined;
    if (this.#key === "result" || this.#key === "error") this.isAnswer = true;
  }

  #endMember(): void {
    const value = parsed(this.#token);
    if (this.#key === "id")
      this.id = typeof value === "number" || typeof value === "string" ? value : undefined;
    this.#key = undefined;
    this.#token = undefined;
    this.#isKeyNext = true;
  }

  #keep(byte: number): void {
    if (!this.#token) return;
    if (this.#token.length < MAX_TOKEN) this.#token.push(byte);
    else this.#token = undefined;
  }
}

/** The value of a JSON token; `undefined` if it is not one. */
function parsed(token: readonly number[] | undefined): unknown {
  try {
    return token && JSON.parse(Buffer.from(token).toString("utf8"));
  } catch {
    return undefined;
  }
}
