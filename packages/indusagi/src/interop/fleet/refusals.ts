import { ProtocolFault } from "../contract/index.ts";
import { explainFault } from "./explain-fault.ts";
import type { BreakerOptions } from "./supervision-options.ts";

/** The reason in the fault of a server that has left the fleet while somebody waited for it. */
export const GONE = "gone";

export function unknownServer(server: string): ProtocolFault {
  return new ProtocolFault("not_connected", `there is no server "${server}"`, { server, retrySafe: true });
}

export function serverRemoved(server: string): ProtocolFault {
  const message = `server "${server}" has been taken out of the fleet`;
  return new ProtocolFault("not_connected", message, { server, reason: GONE, retrySafe: true });
}

/** What a server that is not to be started is told apart by, in its status and to whoever asks for it. */
export const SWITCHED_OFF = 'is switched off in its configuration; write "enabled": true to use it';

export function serverDisabled(server: string): ProtocolFault {
  const message = `server "${server}" ${SWITCHED_OFF}`;
  return new ProtocolFault("not_connected", message, { server, reason: "disabled", retrySafe: true });
}

export function unsupportedSharing(server: string, share: string): ProtocolFault {
  const message = `server "${server}" asks for a connection for each ${share}, which is not supported yet`;
  return new ProtocolFault("not_connected", message, { server, reason: "unsupported", retrySafe: true });
}

/** The breaker is open. */
export function breakerOpen(
  server: string,
  { failures }: Required<BreakerOptions>,
  last: ProtocolFault,
): ProtocolFault {
  const message = `server "${server}" failed ${failures} times and is left alone for a while; the last time: ${explainFault(last)}`;
  return new ProtocolFault("not_connected", message, {
    server,
    reason: "tripped",
    retrySafe: true,
    cause: last,
  });
}

/** The patience of whoever asked for the server is at its end. */
export function acquireTimedOut(server: string, ms: number, last: ProtocolFault | undefined): ProtocolFault {
  const why = last
    ? `the last trouble: ${explainFault(last)}`
    : 'raise "acquireMs" of the supervision if it takes longer to start';
  const message = `server "${server}" could not be used within ${ms / 1000} s; ${why}`;
  return new ProtocolFault("timeout", message, {
    server,
    retrySafe: true,
    ...(last ? { cause: last } : {}),
  });
}
