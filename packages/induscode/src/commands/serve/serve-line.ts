import type { CommandLine } from "../../launch/internal.ts";
import type { ServeRequest } from "./serve.ts";

// What the entry must know of a line of `indus serve` before the command is loaded.

/**
 * Whether a command runs on after the process that started it has ended: a server at a port, which a shell in the
 * background, `nohup`, `setsid` or a service manager starts. A demonstration at the default port belongs to its terminal.
 */
export function outlivesParent(line: CommandLine): boolean {
  const { transport, withParent } = serveRequest(line) ?? {};
  return transport?.kind === "http" && transport.port !== undefined && !withParent;
}

/** How long the requests of a gateway may go on after the signal that ends it. */
export function drainTimeMs(line: CommandLine): number {
  const { transport } = serveRequest(line) ?? {};
  return (transport?.kind === "http" && transport.drainMs) || 0;
}

/** Where a gateway logs, if not as text on standard error. */
export function logTarget(line: CommandLine): ServeRequest["log"] {
  return serveRequest(line)?.log;
}

/** The table connects the name with the type of its request. */
function serveRequest(line: CommandLine): ServeRequest | undefined {
  return line.kind === "command" && line.name === "serve" ? (line.request as ServeRequest) : undefined;
}
