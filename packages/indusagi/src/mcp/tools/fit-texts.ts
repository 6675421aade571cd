import { clampText } from "../../core/internal.ts";

/** The default number of UTF-8 bytes of text in one answer. */
const DEFAULT_MAX_BYTES: number = 64 * 1024;

/**
 * Cuts texts so together they fit into a number of UTF-8 bytes. Small texts stay whole; the large ones share the
 * rest evenly and keep both their ends. Returns the same array if all texts fit.
 */
export function fitTexts(texts: readonly string[], maxBytes: number = DEFAULT_MAX_BYTES): readonly string[] {
  const share = shareOf(
    texts.map((text) => Buffer.byteLength(text)),
    maxBytes,
  );
  if (share === undefined) return texts;
  return texts.map((text) => clampText(text, { kind: "middle", maxBytes: share }));
}

/** The bytes that each large text may keep; `undefined` if all texts fit. */
function shareOf(sizes: readonly number[], maxBytes: number): number | undefined {
  let left = maxBytes;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const even = Math.floor(Math.max(0, left) / (ascending.length - index));
    if (size > even) return even;
    left -= size;
  }
  return undefined;
}
