const MAX_CHARS = 64 * 1024 * 1024;

/** Reads all of standard input. Rejects if it is too long, or with the signal's reason. */
export async function readInput(signal: AbortSignal): Promise<string> {
  const { addAbortSignal } = process.getBuiltinModule("node:stream");
  const input = addAbortSignal(signal, process.stdin.setEncoding("utf8"));
  let text = "";
  for await (const part of input as AsyncIterable<string>) {
    text += part;
    if (text.length > MAX_CHARS) throw new Error("standard input is longer than 64 MiB");
  }
  return text;
}
