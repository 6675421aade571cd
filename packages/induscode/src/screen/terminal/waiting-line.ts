import type { Environment } from "indusagi/core";
import type { Terminal } from "./terminal.ts";

/** Lines on the screen that are redrawn while a command waits. */
interface WaitingLine {
  /** Makes room for other output. The lines return with the next update. */
  clear(): void;
  stop(): void;
}

const UPDATE_MS = 250;
/** Back to the start of the line, and clear it. */
const CLEAR_LINE = "\r\u001b[K";

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

/** One line on the screen that shows the newest of several messages. */
interface ProgressLine {
  show(text: string): void;
  /** Makes room for other output. */
  clear(): void;
}

/** Shows nothing unless standard error is a screen. A dumb terminal gets one line per message. */
export function progressLine({
  terminal,
  env,
}: {
  readonly terminal: Terminal;
  readonly env: Environment;
}): ProgressLine {
  if (!terminal.errIsScreen) return { show: () => {}, clear: () => {} };
  if (env["TERM"] === "dumb") return { show: (text) => terminal.err(`${text}\n`), clear: () => {} };
  let isShown = false;
  return {
    show: (text) => {
      isShown = true;
      terminal.err(`${CLEAR_LINE}${shortened(text, (terminal.errLook?.width ?? 80) - 1)}`);
    },
    clear: () => {
      if (isShown) terminal.err(CLEAR_LINE);
      isShown = false;
    },
  };
}

function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
