/** A longer line ends the session: it would fill the memory. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** The lines of a stream without their ends. Empty lines are left out. Throws if a line is too long. */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<string, void> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const line = textOf([...parts, chunk.subarray(from, end)]);
      parts = [];
      size = 0;
      from = end + 1;
      if (line !== "") yield line;
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > maxBytes) throw new Error(`a line is longer than ${maxBytes} bytes`);
  }
  const last = textOf(parts);
  if (last !== "") yield last;
}

function textOf(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString("utf8").trim();
}
