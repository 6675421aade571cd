import { Writable } from "node:stream";

export interface AskOptions {
  /** What the user types is not shown. Default false. */
  readonly isSecret?: boolean;
  /** Ends the question without an answer. */
  readonly signal?: AbortSignal;
}

/**
 * Asks one question on the terminal and resolves to the line the user types. Undefined if there is no terminal to ask on, if
 * the input ends, or if the signal aborts. The question goes to standard error: standard output belongs to the result.
 */
export async function askOnTerminal(
  question: string,
  { isSecret = false, signal }: AskOptions = {},
): Promise<string | undefined> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY || signal?.aborted) return undefined;
  const { createInterface } = await import("node:readline");
  // Only with a terminal of its own does the library not let the system echo the keys.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface(
    isSecret ? { input: stdin, output: silent, terminal: true } : { input: stdin, terminal: false },
  );
  // After the echo is off: a secret may be pasted as soon as the question is there.
  stderr.write(question);
  // In that mode Ctrl-C is a key. It ends the command, as everywhere else.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    return await new Promise<string | undefined>((resolve) => {
      lines.once("line", resolve);
      lines.once("close", () => resolve(undefined));
      signal?.addEventListener("abort", () => resolve(undefined), { once: true });
    });
  } finally {
    lines.close();
    stdin.pause();
    if (isSecret) stderr.write("\n");
  }
}
