import { isUtf8 } from "node:buffer";
import type { WireOutline } from "../../../runtime/index.ts";

/** An answer that was read without parsing its result. */
export interface ScannedAnswer {
  readonly id: number;
  /** The bytes of the result: one JSON object, valid UTF-8, without raw line ends. */
  readonly result: Buffer;
  readonly outline: WireOutline;
  /** The tool reports an error. */
  readonly isError: boolean;
}

/**
 * Finds the result in the answer to a call, without making values of it. Every byte is checked by the grammar of JSON, because the
 * bytes may be passed on as they are: what this accepts, a parser accepts. Undefined if it is anything but a plain answer, or if a
 * name that matters is written with escapes or twice; then the message must be parsed.
 */
export function readAnswer(message: Buffer): ScannedAnswer | undefined {
  return isUtf8(message) ? new AnswerScan(message).read() : undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const MINUS = 0x2d;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Deeper messages are parsed. */
const MAX_DEPTH = 200;
/** Longer names and types are not looked at. */
const MAX_NAME = 64;
/** Not valid here: the message is parsed. */
const NONE = -1;

/** 1 for the bytes at which the skipping of a string stops: the quote, the backslash and control characters. */
const STOPS = new Uint8Array(256);
STOPS.fill(1, 0, 0x20);
STOPS[QUOTE] = 1;
STOPS[BACKSLASH] = 1;
/** 1 for the bytes that may follow a backslash. */
const ESCAPES = new Uint8Array(256);
for (const letter of '"\\/bfnrtu') ESCAPES[letter.charCodeAt(0)] = 1;

/** Where in the message an object is: its members matter only in these three places. */
type Place = "message" | "result" | "block" | "elsewhere";

class AnswerScan {
  readonly #bytes: Buffer;
  readonly #words: Words;
  readonly #messageMembers = new Set<string>();
  readonly #members = new Set<string>();
  readonly #blockMembers = new Set<string>();
  readonly #blockTypes = new Set<string>();
  #id: number | undefined;
  #result: Buffer | undefined;
  #isError = false;
  /** There was one since this was reset. Only between values: a string with one is not JSON. */
  #hasLineEnds = false;
  #resultHasLineEnds = false;
  /** The type of the content block that is being read, if it has one. */
  #type: string | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#words = wordsOf(bytes);
  }

  read(): ScannedAnswer | undefined {
    const start = this.#space(0);
    if (this.#bytes[start] !== OPEN_OBJECT) return undefined;
    const end = this.#object(start, "message", 1);
    if (end === NONE || this.#space(end) !== this.#bytes.length) return undefined;
    const id = this.#id;
    const result = this.#result;
    if (id === undefined || !result || !this.#messageMembers.has("jsonrpc")) return undefined;
    // The result may be sent as part of a line.
    if (this.#resultHasLineEnds) return undefined;
    const outline = {
      members: this.#members,
      blockMembers: this.#blockMembers,
      blockTypes: this.#blockTypes,
    };
    return { id, result, outline, isError: this.#isError };
  }

  // Each of the following returns the index after what it reads, or `NONE`.

  #value(at: number, depth: number): number {
    const byte = this.#bytes[at];
    if (byte === QUOTE) return this.#string(at + 1);
    if (byte === OPEN_OBJECT) return this.#object(at, "elsewhere", depth + 1);
    if (byte === OPEN_ARRAY) return this.#array(at, false, depth + 1);
    return byte === MINUS || isDigit(byte) ? this.#number(at) : this.#word(at);
  }

  #object(start: number, place: Place, depth: number): number {
    if (depth > MAX_DEPTH) return NONE;
    let at = this.#space(start + 1);
    if (this.#bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      if (this.#bytes[at] !== QUOTE) return NONE;
      const keyStart = at + 1;
      const keyEnd = this.#string(keyStart);
      if (keyEnd === NONE) return NONE;
      at = this.#space(keyEnd);
      if (this.#bytes[at] !== COLON) return NONE;
      at = this.#space(at + 1);
      if (place === "elsewhere") at = this.#value(at, depth);
      else {
        const name = this.#plainText(keyStart, keyEnd - 1);
        at = name === undefined ? NONE : this.#member(place, name, at, depth);
      }
      if (at === NONE) return NONE;
      at = this.#space(at);
      if (this.#bytes[at] === CLOSE_OBJECT) return at + 1;
      if (this.#bytes[at] !== COMMA) return NONE;
      at = this.#space(at + 1);
    }
  }

  #member(place: Exclude<Place, "elsewhere">, name: string, at: number, depth: number): number {
    if (place === "message") return this.#memberOfMessage(name, at, depth);
    if (place === "result") return this.#memberOfResult(name, at, depth);
    this.#blockMembers.add(name);
    const end = this.#value(at, depth);
    if (name !== "type" || end === NONE) return end;
    if (this.#type !== undefined || this.#bytes[at] !== QUOTE) return NONE;
    this.#type = this.#plainText(at + 1, end - 1);
    return this.#type === undefined ? NONE : end;
  }

  #memberOfMessage(name: string, at: number, depth: number): number {
    if (this.#messageMembers.has(name)) return NONE;
    this.#messageMembers.add(name);
    if (name === "jsonrpc") return this.#bytes.toString("latin1", at, at + 5) === '"2.0"' ? at + 5 : NONE;
    if (name === "id") {
      const end = isDigit(this.#bytes[at]) ? this.#number(at) : NONE;
      if (end !== NONE) this.#id = Number(this.#bytes.toString("latin1", at, end));
      return end;
    }
    if (name !== "result" || this.#bytes[at] !== OPEN_OBJECT) return NONE;
    this.#hasLineEnds = false;
    const end = this.#object(at, "result", depth + 1);
    if (end !== NONE) this.#result = this.#bytes.subarray(at, end);
    this.#resultHasLineEnds = this.#hasLineEnds;
    return end;
  }

  #memberOfResult(name: string, at: number, depth: number): number {
    if (this.#members.has(name)) return NONE;
    this.#members.add(name);
    if (name === "content" && this.#bytes[at] === OPEN_ARRAY) return this.#array(at, true, depth + 1);
    const end = this.#value(at, depth);
    if (end === NONE) return NONE;
    if (name === "isError") this.#isError = end - at === 4 && this.#bytes[at] === 0x74; // `true`
    // A question, a task, or something newer than this code.
    if (name === "resultType" && this.#bytes.toString("latin1", at, end) !== '"complete"') return NONE;
    return end;
  }

  #array(start: number, isContent: boolean, depth: number): number {
    if (depth > MAX_DEPTH) return NONE;
    let at = this.#space(start + 1);
    if (this.#bytes[at] === CLOSE_ARRAY) return at + 1;
    for (;;) {
      at = isContent && this.#bytes[at] === OPEN_OBJECT ? this.#block(at, depth) : this.#value(at, depth);
      if (at === NONE) return NONE;
      at = this.#space(at);
      if (this.#bytes[at] === CLOSE_ARRAY) return at + 1;
      if (this.#bytes[at] !== COMMA) return NONE;
      at = this.#space(at + 1);
    }
  }

  #block(at: number, depth: number): number {
    this.#type = undefined;
    const end = this.#object(at, "block", depth + 1);
    this.#blockTypes.add(this.#type ?? "");
    return end;
  }

  /** `start` is after the quote. */
  #string(start: number): number {
    return endOfString(this.#bytes, this.#words, start);
  }

  #number(start: number): number {
    const bytes = this.#bytes;
    let at = bytes[start] === MINUS ? start + 1 : start;
    if (bytes[at] === 0x30) at += 1;
    else if ((at = this.#digits(at)) === NONE) return NONE;
    if (bytes[at] === 0x2e && (at = this.#digits(at + 1)) === NONE) return NONE;
    if (bytes[at] !== 0x65 && bytes[at] !== 0x45) return at;
    const sign = bytes[at + 1];
    return this.#digits(sign === 0x2b || sign === MINUS ? at + 2 : at + 1);
  }

  #digits(start: number): number {
    let at = start;
    while (isDigit(this.#bytes[at])) at += 1;
    return at === start ? NONE : at;
  }

  #word(at: number): number {
    for (const word of ["true", "false", "null"])
      if (this.#bytes.toString("latin1", at, at + word.length) === word) return at + word.length;
    return NONE;
  }

  #space(start: number): number {
    let at = start;
    for (let byte = this.#bytes[at]; byte === 0x20 || byte === 0x09 || isLineEnd(byte); ) {
      if (isLineEnd(byte)) this.#hasLineEnds = true;
      byte = this.#bytes[++at];
    }
    return at;
  }

  /** The text of a string without escapes. Undefined if it has some: another spelling of a name must not hide it. */
  #plainText(start: number, end: number): string | undefined {
    if (end - start > MAX_NAME) return undefined;
    const text = this.#bytes.toString("utf8", start, end);
    return text.includes("\\") ? undefined : text;
  }
}

/** The whole words of four bytes in the memory of a message. */
interface Words {
  readonly words: Int32Array;
  /** How many bytes of the first word come before the message. */
  readonly lead: number;
}

function wordsOf({ buffer, byteOffset, length }: Buffer): Words {
  const lead = byteOffset % 4;
  return { words: new Int32Array(buffer, byteOffset - lead, Math.floor((lead + length) / 4)), lead };
}

/**
 * Nearly all bytes of a large message are in strings, so this loop looks at four at a time and uses nothing but local variables.
 */
function endOfString(bytes: Buffer, { words, lead }: Words, start: number): number {
  const { length } = bytes;
  let at = start;
  for (;;) {
    while (at < length && ((at + lead) & 3) !== 0 && STOPS[bytes[at] as number] === 0) at += 1;
    if (((at + lead) & 3) === 0) {
      let word = (at + lead) >> 2;
      while (word < words.length && !hasStop(words[word] as number)) word += 1;
      at = word * 4 - lead;
    }
    while (at < length && STOPS[bytes[at] as number] === 0) at += 1;
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH || ESCAPES[bytes[at + 1] ?? 0] === 0) return NONE;
    if (bytes[at + 1] !== 0x75) at += 2;
    else if (isHex(bytes, at + 2)) at += 6;
    else return NONE;
  }
}

/**
 * Whether one of four bytes is in `STOPS`. Subtracting n from each byte sets its highest bit if it is smaller than n, unless it had
 * that bit before; a byte is equal to another if their difference in bits is smaller than 1.
 */
function hasStop(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const found =
    ((word - 0x20202020) & ~word) |
    ((quotes - 0x01010101) & ~quotes) |
    ((backslashes - 0x01010101) & ~backslashes);
  return (found & 0x80808080) !== 0;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function isHex(bytes: Buffer, start: number): boolean {
  return /^[0-9a-fA-F]{4}$/.test(bytes.toString("latin1", start, start + 4));
}
