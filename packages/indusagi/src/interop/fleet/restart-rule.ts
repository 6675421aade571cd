import { backoffMs } from "../../core/index.ts";
import type { ProtocolFault, ServerState } from "../contract/index.ts";
import { symptomsOf } from "../endpoint/index.ts";
import { prospectsOf } from "./fault-prospects.ts";
import type { Supervision } from "./supervision-options.ts";

/** What to do about a server that failed: start it after a while, or leave it. */
export interface RestartVerdict {
  /** `undefined`: another start cannot help. */
  readonly delayMs: number | undefined;
  readonly state: Extract<ServerState, "restarting" | "tripped" | "needs_login"> | undefined;
}

export type RestartRule = Pick<Supervision, "firstDelayMs" | "maxDelayMs" | "jitter" | "breaker" | "random">;

/** The failures that still count: those within the breaker's time. */
export function recentFailures(failuresMs: readonly number[], nowMs: number, rule: RestartRule): number[] {
  return failuresMs.filter((atMs) => nowMs - atMs < rule.breaker.withinMs);
}

/** Decides after a failure. `failures` counts the recent ones, this one included. */
export function nextRestart(fault: ProtocolFault, failures: number, rule: RestartRule): RestartVerdict {
  if (!prospectsOf(fault).canHeal)
    return { delayMs: undefined, state: fault.details.status === 401 ? "needs_login" : undefined };
  const askedMs = symptomsOf(fault.cause).retryAfterMs ?? 0;
  const { breaker, firstDelayMs: baseMs, maxDelayMs: maxMs, jitter, random } = rule;
  if (failures >= breaker.failures) return { delayMs: Math.max(breaker.retryMs, askedMs), state: "tripped" };
  // The server is there and has only forgotten us: the first time there is nothing to wait for.
  if (fault.reason === "session_lost" && failures <= 1) return { delayMs: 0, state: "restarting" };
  const delayMs = backoffMs(failures - 1, { baseMs, maxMs, jitter, random });
  return { delayMs: Math.max(delayMs, askedMs), state: "restarting" };
}
