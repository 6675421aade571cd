import { cutText } from "../../../core/index.ts";

const LARGE_CHARS = 256 * 1024;
/** Small enough for the part of the heap that V8 cleans often. */
const PIECE_CHARS = 48 * 1024;

/** Whether a value is so large that it should be written in pieces. */
export function isLarge(value: unknown): boolean {
  return isOver(value, LARGE_CHARS);
}

function isOver(value: unknown, chars: number): boolean {
  return roughSize(value, chars) > chars;
}

/**
 * The text of `JSON.stringify` in pieces, so the text of a large value is never in memory as a whole. For plain data only
 * (`isPlain`): other objects may define how they are written.
 */
export function* jsonPieces(value: unknown): Generator<string, void> {
  let text = "";
  for (const part of partsOf(value)) {
    text += part;
    if (text.length < PIECE_CHARS) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

/** The same in parts, which may be short. */
function* partsOf(value: unknown): Generator<string, void> {
  if (typeof value === "string" && value.length > PIECE_CHARS) yield* stringParts(value);
  else if (typeof value !== "object" || value === null || !isOver(value, PIECE_CHARS))
    yield JSON.stringify(value) ?? "null";
  else if (Array.isArray(value)) yield* arrayParts(value);
  else yield* objectParts(value);
}

function* arrayParts(items: readonly unknown[]): Generator<string, void> {
  let before = "[";
  for (const item of items) {
    yield before;
    yield* partsOf(item);
    before = ",";
  }
  yield items.length === 0 ? "[]" : "]";
}

function* objectParts(parent: object): Generator<string, void> {
  let before = "{";
  for (const [name, member] of Object.entries(parent)) {
    // What JSON leaves out.
    if (member === undefined || typeof member === "symbol") continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(member);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

/** Never cuts a surrogate pair: lone surrogates would be written as escapes. */
function* stringParts(text: string): Generator<string, void> {
  yield '"';
  for (let start = 0; start < text.length; ) {
    const piece = cutText(text.slice(start, start + PIECE_CHARS + 1), PIECE_CHARS);
    yield JSON.stringify(piece).slice(1, -1);
    start += piece.length;
  }
  yield '"';
}

/**
 * Approximate memory of a message: good enough for a limit, and much cheaper than writing it. Stops counting at
 * `most`, so it ends even for a value that contains itself.
 */
export function roughSize(message: unknown, most: number): number {
  let size = 0;
  const pending: unknown[] = [message];
  for (let node = pending.pop(); node !== undefined && size <= most; node = pending.pop()) {
    size += typeof node === "string" ? node.length : 8;
    if (typeof node !== "object" || node === null) continue;
    for (const [key, value] of Object.entries(node)) {
      size += key.length;
      if (value !== undefined) pending.push(value);
    }
  }
  return size;
}
