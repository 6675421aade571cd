import type { Environment } from "indusagi/core";
import type { Terminal } from "./terminal.ts";

/** One line on the screen that is written again and again while a command waits. */
export interface WaitingLine {
  /** Makes room for other output. The line returns with the next update. */
  clear(): void;
  stop(): void;
}

const UPDATE_MS = 250;
/** Back to the start of the line, and clear it. */
export const CLEAR_LINE = "\r\u001b[K";

/** Shows a text, made from the time so far, on a screen. Shows nothing if standard error is not a screen. */
export function waitingLine(
  { terminal, env }: { readonly terminal: Terminal; readonly env: Environment },
  textAfter: (elapsedMs: number) => string,
): WaitingLine {
  if (!terminal.errIsScreen || env["TERM"] === "dumb") return { clear: () => {}, stop: () => {} };
  const startMs = performance.now();
  const timer = setInterval(() => {
    terminal.err(`${CLEAR_LINE}${textAfter(performance.now() - startMs)}`);
  }, UPDATE_MS);
  const clear = (): void => terminal.err(CLEAR_LINE);
  return {
    clear,
    stop: () => {
      clearInterval(timer);
      clear();
    },
  };
}
