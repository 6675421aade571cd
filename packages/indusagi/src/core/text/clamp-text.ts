export interface ClampOptions {
  /** Which part of a long text is kept. `middle` keeps both ends. */
  readonly kind: "head" | "middle" | "tail";
  /** The UTF-8 bytes that are kept, without the notice. */
  readonly maxBytes: number;
  /** The text that replaces the omitted bytes. */
  readonly notice?: ((omittedBytes: number) => string) | undefined;
}

/**
 * Cuts a text to a number of UTF-8 bytes, never inside a character, and notes how many bytes are missing.
 * Text that fits is returned unchanged.
 */
export function clampText(text: string, options: ClampOptions): string {
  const { kind, maxBytes, notice = standardNotice } = options;
  // A UTF-16 unit needs at most three UTF-8 bytes, so most texts need not be measured.
  if (text.length * 3 <= maxBytes) return text;
  const total = Buffer.byteLength(text);
  if (total <= maxBytes) return text;

  const headBytes = kind === "head" ? maxBytes : kind === "tail" ? 0 : Math.ceil(maxBytes / 2);
  const head = text.slice(0, headEnd(text, headBytes));
  const tail = text.slice(tailStart(text, maxBytes - headBytes));
  const omitted = total - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return head + notice(omitted) + tail;
}

function standardNotice(omittedBytes: number): string {
  return `\n[... ${omittedBytes} bytes omitted ...]\n`;
}

/** The longest prefix, in UTF-16 units, that needs at most `bytes` in UTF-8 and splits no character. */
function headEnd(text: string, bytes: number): number {
  let used = 0;
  let index = 0;
  while (index < text.length) {
    const codePoint = text.codePointAt(index) ?? 0;
    used += utf8Width(codePoint);
    if (used > bytes) break;
    index += codePoint > 0xffff ? 2 : 1;
  }
  return index;
}

/** The start of the longest suffix that needs at most `bytes` in UTF-8 and splits no character. */
function tailStart(text: string, bytes: number): number {
  let used = 0;
  let index = text.length;
  while (index > 0) {
    const isPair =
      index > 1 && isLowSurrogate(text.charCodeAt(index - 1)) && isHighSurrogate(text.charCodeAt(index - 2));
    const start = isPair ? index - 2 : index - 1;
    used += utf8Width(text.codePointAt(start) ?? 0);
    if (used > bytes) break;
    index = start;
  }
  return index;
}

function utf8Width(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The end of the last complete character. Bytes that are not UTF-8 count as complete. */
export function wholeCharactersEnd(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - MAX_CHARACTER); at -= 1) {
    const byte = bytes[at] ?? 0;
    if (isContinuation(byte)) continue;
    return at + characterLength(byte) > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

/** The start of the first complete character. Bytes that are not UTF-8 count as complete. */
export function wholeCharactersStart(bytes: Uint8Array): number {
  const start = bytes.subarray(0, MAX_CHARACTER).findIndex((byte) => !isContinuation(byte));
  if (start >= 0) return start;
  return bytes.length < MAX_CHARACTER ? bytes.length : 0;
}

const MAX_CHARACTER = 4;

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
