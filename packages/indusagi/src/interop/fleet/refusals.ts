import { showDuration } from "../../core/index.ts";
import { ProtocolFault, type ServerConfig } from "../contract/index.ts";
import { untrustedServer } from "../endpoint/index.ts";
import { explainFault } from "./failures/retry-outlook.ts";
import type { BreakerOptions } from "./fleet-options.ts";
import type { InitialState, SupervisorState } from "./supervisor-state.ts";

/** The fault's reason if a server was removed from the fleet while a caller waited for it. */
export const GONE = "gone";

export function unknownServer(server: string): ProtocolFault {
  return new ProtocolFault("not_connected", `there is no server "${server}"`, { server, retrySafe: true });
}

function serverRemoved(server: string): ProtocolFault {
  const message = `server "${server}" was removed from the fleet`;
  return new ProtocolFault("not_connected", message, { server, reason: GONE, retrySafe: true });
}

/** Why a disabled server is not started, for its status and for callers. */
export const DISABLED = 'is disabled in its configuration; set "enabled": true to use it';

function serverDisabled(server: string): ProtocolFault {
  const message = `server "${server}" ${DISABLED}`;
  return new ProtocolFault("not_connected", message, { server, reason: "disabled", retrySafe: true });
}

/** Why a server that should run has no process yet. */
const QUEUED = "waits for its turn to start";

/** Why a first start takes long. */
const INSTALLING = "is starting for the first time and may have to install its package";

/** Why a server is shown as slow. */
export const SLOW = `is alive, but its calls time out; find out what they wait for, or raise "timeouts" in its configuration`;

export function hanging(server: string, missed: number): ProtocolFault {
  const message = `server "${server}" hangs: ${missed} calls timed out, and it did not answer a probe`;
  return new ProtocolFault("timeout", message, { server });
}

/** The first state of a server, from its configuration. `fault`: what is wrong with its row. */
export function initialState(config: ServerConfig, fault?: ProtocolFault): InitialState {
  if (config.enabled === false) return { name: "disabled" };
  const untrusted = untrustedServer(config);
  if (untrusted) return { name: "untrusted", fault: untrusted };
  return fault ? { name: "refused", fault } : { name: "dormant" };
}

function breakerOpen(
  server: string,
  { failures, retryMs }: Required<BreakerOptions>,
  last: ProtocolFault,
): ProtocolFault {
  const message = `server "${server}" failed ${failures} times and is now retried only every ${showDuration(retryMs)}; last failure: ${explainFault(last)}`;
  return new ProtocolFault("not_connected", message, {
    server,
    reason: "tripped",
    retrySafe: true,
    cause: last,
  });
}

export function acquireTimedOut(server: string, ms: number, last: ProtocolFault | undefined): ProtocolFault {
  const why = last
    ? `last failure: ${explainFault(last)}`
    : 'raise "acquireMs" in the supervision options if it takes longer to start';
  const message = `server "${server}" was not ready within ${showDuration(ms)}; ${why}`;
  return new ProtocolFault("timeout", message, { server, retrySafe: true, cause: last });
}

/** The row asks to compare the tools before each use, which the server makes impossible. */
export function notReviewed(server: string): ProtocolFault {
  const message = `server "${server}" could not list its tools after its start, and they are called only once they are compared with the approved ones; call again when it lists them`;
  return new ProtocolFault("tool_error", message, { server, reason: "policy", retrySafe: true });
}

/** Why a start takes long through no fault of the server; `undefined` if there is no such reason. */
export function startDelay({ name }: SupervisorState): string | undefined {
  if (name === "queued") return QUEUED;
  return name === "installing" ? INSTALLING : undefined;
}

/** The call would outlast its client's timeout: an error that says to call again is better than no answer. */
export function stillStarting(state: SupervisorState, server: string, waitedMs: number): ProtocolFault {
  const delay = startDelay(state);
  const why = delay === undefined ? "" : `: it ${delay}`;
  const message = `server "${server}" is still starting after ${showDuration(Math.round(waitedMs / 1000) * 1000)}${why}; call again`;
  return new ProtocolFault("timeout", message, { server, reason: "starting", retrySafe: true });
}

/** A call to a server that needs a login is told how to log in, as in the server's status. */
function withLoginRemedy(fault: ProtocolFault): ProtocolFault {
  if (fault.reason !== "auth") return fault;
  return new ProtocolFault(fault.kind, explainFault(fault), { ...fault.details, cause: fault.cause });
}

/** Why a server in this state cannot be used; `undefined` if it is usable or a caller may wait for it. */
export function refusalIn(
  state: SupervisorState,
  server: string,
  breaker: Required<BreakerOptions>,
): ProtocolFault | undefined {
  switch (state.name) {
    case "disabled":
      return serverDisabled(server);
    case "untrusted":
    case "refused":
      return state.fault;
    case "failed":
    case "needs_login":
      return withLoginRemedy(state.fault);
    case "tripped":
      return breakerOpen(server, breaker, state.fault);
    case "stopping":
    case "stopped":
      return serverRemoved(server);
    case "dormant":
    case "closed":
    case "queued":
    case "starting":
    case "installing":
    case "restarting":
    case "probing":
    case "ready":
    case "slow":
    case "silent":
    case "waiting":
      return undefined;
    default:
      return state satisfies never; // A new state must decide.
  }
}
