/**
 * Whether a file is none to search in: it has a zero byte among its first ones, or says that it is UTF-16.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function isBinary(bytes: Uint8Array, sampleBytes: number): boolean {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 || bytes.subarray(0, sampleBytes).includes(0);
}
