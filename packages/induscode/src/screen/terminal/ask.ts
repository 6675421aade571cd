import { Writable } from "node:stream";
import { wrapText } from "../wrapped.ts";

export interface AskOptions {
  /** Do not echo what the user types. Default false. */
  readonly isSecret?: boolean;
  /** Ends the question without an answer. */
  readonly signal?: AbortSignal;
}

/**
 * Asks one question on the terminal and resolves to the line the user types. Undefined if there is no terminal, the input
 * ends, or the signal aborts. The question goes to standard error: standard output is for the result.
 */
export async function askOnTerminal(
  question: string,
  { isSecret = false, signal }: AskOptions = {},
): Promise<string | undefined> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY || signal?.aborted) return undefined;
  const { createInterface } = await import("node:readline");
  // The library only turns the echo off if it handles the terminal itself.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface(
    isSecret ? { input: stdin, output: silent, terminal: true } : { input: stdin, terminal: false },
  );
  // Only now that the echo is off: a secret may be pasted as soon as the question appears.
  stderr.write(wrapText(question, stderr.columns > 0 ? stderr.columns : Number.POSITIVE_INFINITY).join("\n"));
  // In raw mode Ctrl-C is just a key. Exit, as everywhere else.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const stop = (): void => lines.close();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await new Promise<string | undefined>((resolve) => {
      lines.once("line", resolve);
      lines.once("close", () => resolve(undefined));
    });
  } finally {
    signal?.removeEventListener("abort", stop);
    lines.close();
    stdin.pause();
    if (isSecret) stderr.write("\n");
  }
}
