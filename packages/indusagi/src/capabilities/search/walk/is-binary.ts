/**
 * Whether a file is not searched: its first bytes contain a zero byte or are a UTF-16 byte order mark.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function isBinary(bytes: Uint8Array, sampleBytes: number): boolean {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 || bytes.subarray(0, sampleBytes).includes(0);
}
