import { ProtocolFault, type Relay } from "indusagi/interop";
import { faultOutcome, type ToolBox, wrapCalls } from "indusagi/runtime";
import { wrapRequests } from "../wrap-requests.ts";

/** The calls of one token that run now: of tools, and requests to servers for what they have beside tools. */
export interface RunningCalls {
  /** Counts one call; the returned function ends it. Undefined if the token is at its limit. */
  begin(): (() => void) | undefined;
  /** Why a call beyond the limit is refused. */
  readonly refusal: string;
}

export function runningCalls(name: string, most: number): RunningCalls {
  let running = 0;
  return {
    refusal: `token ${name} may run ${most} ${most === 1 ? "call" : "calls"} at the same time; try again when one has ended`,
    begin: () => {
      if (running >= most) return undefined;
      running += 1;
      return () => void (running -= 1);
    },
  };
}

/** A box that refuses a call beyond the limit at once: a queue would hide from the client why it waits. */
export function limitCalls(box: ToolBox, running: RunningCalls): ToolBox {
  return wrapCalls(box, async (call, signal, caller) => {
    const end = running.begin();
    if (!end)
      return faultOutcome(call.id, running.refusal, {
        kind: "tool_error",
        reason: "policy",
        retrySafe: true,
      });
    try {
      return await box.runner.run(call, signal, caller);
    } finally {
      end();
    }
  });
}

/** A relay that does the same with requests to servers. `runningOf`: the calls of a principal, if it has a limit. */
export function limitRequests(
  relay: Relay,
  runningOf: (principal: string | undefined) => RunningCalls | undefined,
): Relay {
  return wrapRequests(relay, async ({ server, options }, send) => {
    const running = runningOf(options.caller?.principal);
    const end = running?.begin();
    if (running && !end)
      throw new ProtocolFault("protocol", running.refusal, { server, reason: "policy", retrySafe: true });
    try {
      return await send();
    } finally {
      end?.();
    }
  });
}
