import type { CommandLine } from "../launch/internal.ts";

/**
 * Whether a command runs on after the process that started it has ended: a server at a port, which a shell in the
 * background, `nohup`, `setsid` or a service manager starts. A demonstration at the default port belongs to its terminal.
 */
export function outlivesParent(line: CommandLine): boolean {
  if (line.kind !== "command" || line.name !== "serve" || line.request.withParent) return false;
  const { transport } = line.request;
  return transport.kind === "http" && transport.port !== undefined;
}
