import type { LogTarget, LogTerminal } from "./log-terminal.ts";
import type { Terminal } from "./terminal.ts";

/** Redirects a command's standard error to a log. Throws, with the reason, if the file cannot be written. */
export async function openLog(terminal: Terminal, target: LogTarget): Promise<LogTerminal> {
  const { openLogTerminal } = await import("./log-terminal.ts");
  return openLogTerminal(terminal, target);
}
