import type { Environment } from "indusagi/core";
import type { Terminal } from "./terminal.ts";
import { CLEAR_LINE } from "./waiting-line.ts";

/** One line on the screen that shows the newest of several messages. */
export interface ProgressLine {
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
