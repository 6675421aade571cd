import type { Environment } from "indusagi/core";
import type { Terminal } from "./terminal.ts";

/** Lines on the screen that are redrawn while a command waits. */
export interface WaitingLine {
  /** Makes room for other output. The lines return with the next update. */
  clear(): void;
  stop(): void;
}

const UPDATE_MS = 250;
/** Back to the start of the line, and clear it. */
export const CLEAR_LINE = "\r\u001b[K";

/**
 * Shows a text made from the elapsed time. Each line must fit the width. Shows nothing unless standard error is a screen.
 */
export function waitingLine(
  { terminal, env }: { readonly terminal: Terminal; readonly env: Environment },
  textAfter: (elapsedMs: number) => string,
): WaitingLine {
  if (!terminal.errIsScreen || env["TERM"] === "dumb") return { clear: () => {}, stop: () => {} };
  const startMs = performance.now();
  let rows = 0;
  const clear = (): void => {
    // Move to the first line and clear from there.
    if (rows > 0) terminal.err(`\r${rows > 1 ? `\u001b[${rows - 1}A` : ""}\u001b[J`);
    rows = 0;
  };
  const timer = setInterval(() => {
    clear();
    const text = textAfter(performance.now() - startMs);
    if (text === "") return;
    rows = text.split("\n").length;
    terminal.err(text);
  }, UPDATE_MS);
  return {
    clear,
    stop: () => {
      clearInterval(timer);
      clear();
    },
  };
}
