import type { ParsedLine } from "../../launch/internal.ts";
import type { ServeRequest } from "./serve-words.ts";
import type { WorkerCommand } from "./worker.ts";

// What the entry must know about an `indus serve` line before the command is loaded.

/**
 * Whether a command survives its parent process: a server at a port, started by a background shell, `nohup`, `setsid` or a
 * service manager. A demonstration at the default port belongs to its terminal.
 */
export function outlivesParent(line: ParsedLine): boolean {
  if (isBackground(line) || workerCommand(line)) return true;
  const { transport, withParent } = serveRequest(line) ?? {};
  return transport?.kind === "http" && transport.port !== undefined && !withParent;
}

/** After its calls, a worker ends its servers. */
const END_MS = 10_000;

function workerCommand(line: ParsedLine): WorkerCommand | undefined {
  return line.kind === "command" && line.name === "worker" ? (line.request as WorkerCommand) : undefined;
}

/** How long a gateway's running requests may continue after the signal that stops it. */
export function drainTimeMs(line: ParsedLine): number {
  if (isBackground(line)) return BACKGROUND_DRAIN_MS;
  const worker = workerCommand(line);
  if (worker) return worker.drainMs + END_MS;
  const { transport } = serveRequest(line) ?? {};
  return (transport?.kind === "http" && transport.drainMs) || 0;
}

/** Where a gateway logs, if not as text on standard error. */
export function logTarget(line: ParsedLine): ServeRequest["log"] {
  return (
    serveRequest(line)?.log ??
    (isBackground(line) ? (line.request as { readonly log?: ServeRequest["log"] }).log : undefined)
  );
}

/** Its clients' servers get the time that they need to end. */
const BACKGROUND_DRAIN_MS = 8_000;

/** `indus up --foreground`: the background gateway itself. */
function isBackground(
  line: ParsedLine,
): line is ParsedLine & { readonly kind: "command"; readonly request: object } {
  if (line.kind !== "command" || line.name !== "up") return false;
  return (line.request as { readonly foreground?: boolean }).foreground === true;
}

/** The command table guarantees the type of the request. */
function serveRequest(line: ParsedLine): ServeRequest | undefined {
  return line.kind === "command" && line.name === "serve" ? (line.request as ServeRequest) : undefined;
}
