import type { ParsedLine } from "../../launch/internal.ts";
import type { ServeRequest } from "./serve.ts";

// What the entry must know about an `indus serve` line before the command is loaded.

/**
 * Whether a command survives its parent process: a server at a port, started by a background shell, `nohup`, `setsid` or a
 * service manager. A demonstration at the default port belongs to its terminal.
 */
export function outlivesParent(line: ParsedLine): boolean {
  const { transport, withParent } = serveRequest(line) ?? {};
  return transport?.kind === "http" && transport.port !== undefined && !withParent;
}

/** How long a gateway's running requests may continue after the signal that stops it. */
export function drainTimeMs(line: ParsedLine): number {
  const { transport } = serveRequest(line) ?? {};
  return (transport?.kind === "http" && transport.drainMs) || 0;
}

/** Where a gateway logs, if not as text on standard error. */
export function logTarget(line: ParsedLine): ServeRequest["log"] {
  return serveRequest(line)?.log;
}

/** The command table guarantees the type of the request. */
function serveRequest(line: ParsedLine): ServeRequest | undefined {
  return line.kind === "command" && line.name === "serve" ? (line.request as ServeRequest) : undefined;
}
