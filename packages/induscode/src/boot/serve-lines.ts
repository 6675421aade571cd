import type { CommandLine } from "../launch/internal.ts";
import type { LogTerminal } from "./streams/log-terminal.ts";
import type { Terminal } from "./terminal.ts";

/** How long the requests of a gateway may go on after the signal that ends it. */
export function drainTimeMs(line: CommandLine): number {
  const { transport } = serveRequest(line) ?? {};
  return (transport?.kind === "http" && transport.drainMs) || 0;
}

/** The log of a gateway, if its command line asks for another one than text on standard error. */
export async function openLog(line: CommandLine, terminal: Terminal): Promise<LogTerminal | undefined> {
  const log = serveRequest(line)?.log;
  if (!log) return undefined;
  const { openLogTerminal } = await import("./streams/log-terminal.ts");
  return openLogTerminal(terminal, log);
}

function serveRequest(line: CommandLine) {
  return line.kind === "command" && line.name === "serve" ? line.request : undefined;
}
