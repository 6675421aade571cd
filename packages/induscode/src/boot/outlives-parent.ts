import type { Invocation } from "../launch/index.ts";

/**
 * Whether a command runs on after the process that started it has ended: a server at a port, which a shell in the
 * background, `nohup`, `setsid` or a service manager starts. A demonstration at the default port belongs to its terminal.
 */
export function outlivesParent(invocation: Invocation): boolean {
  if (invocation.command !== "serve" || invocation.withParent) return false;
  const { transport } = invocation;
  return transport.kind === "http" && transport.port !== undefined;
}
