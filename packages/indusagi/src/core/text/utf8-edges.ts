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
