/** UTF-8 bytes of text that one answer may bring before a model, unless somebody says otherwise. */
const DEFAULT_MAX_BYTES: number = 64 * 1024;

/**
 * Texts that together fit into a budget of UTF-8 bytes. What is small stays whole; the large ones share what is left
 * evenly and keep both their ends, with a word on how much is missing. Texts that fit come back as they are.
 */
export function fitTexts(texts: readonly string[], maxBytes: number = DEFAULT_MAX_BYTES): readonly string[] {
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const share = shareOf(sizes, maxBytes);
  if (share === undefined) return texts;
  return texts.map((text, index) => ((sizes[index] ?? 0) > share ? cutMiddle(text, share) : text));
}

/** How many bytes the large ones may keep each; nothing when all fit. */
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

function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let head = Math.ceil(maxBytes / 2);
  let tail = bytes.length - (maxBytes - head);
  // Never inside a character: the bytes that continue one begin with the bits 10.
  while (head > 0 && isInside(bytes, head)) head--;
  while (tail < bytes.length && isInside(bytes, tail)) tail++;
  return `${bytes.toString("utf8", 0, head)}\n[... ${tail - head} bytes omitted ...]\n${bytes.toString("utf8", tail)}`;
}

function isInside(bytes: Buffer, index: number): boolean {
  return ((bytes[index] ?? 0) & 0xc0) === 0x80;
}
