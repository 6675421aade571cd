import type { OutputBudget } from "../contract/index.ts";

/** The default budget: 64 KiB, both ends kept. */
export function standardBudget(): OutputBudget {
  return { kind: "middle", maxBytes: 64 * 1024 };
}

/**
 * Cuts a text to its budget in UTF-8 bytes, never inside a character, and notes how many bytes are missing.
 * Text that fits is returned unchanged.
 */
export function clamp(text: string, budget: OutputBudget): string {
  // A UTF-16 unit needs at most three UTF-8 bytes, so most texts need not be measured.
  if (text.length * 3 <= budget.maxBytes) return text;
  const total = Buffer.byteLength(text);
  if (total <= budget.maxBytes) return text;

  const headBytes =
    budget.kind === "head" ? budget.maxBytes : budget.kind === "tail" ? 0 : Math.ceil(budget.maxBytes / 2);
  const head = text.slice(0, headEnd(text, headBytes));
  const tail = text.slice(tailStart(text, budget.maxBytes - headBytes));
  const omitted = total - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return head + (budget.notice ?? standardNotice)(omitted) + tail;
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
