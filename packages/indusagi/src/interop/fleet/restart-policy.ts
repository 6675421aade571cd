import { backoffMs } from "../../core/index.ts";
import type { ProtocolFault, ServerState } from "../contract/index.ts";
import { symptomsOf } from "../endpoint/index.ts";
import { retryOutlook } from "./retry-outlook.ts";
import type { Supervision } from "./supervision-options.ts";

/** What to do about a server that failed: start it after a while, or leave it. */
export interface RestartVerdict {
  /** `undefined`: another start cannot help. */
  readonly delayMs: number | undefined;
  readonly state: Extract<ServerState, "restarting" | "tripped" | "needs_login"> | undefined;
}

export type RestartRule = Pick<Supervision, "firstDelayMs" | "maxDelayMs" | "jitter" | "breaker" | "random">;

/** What a server has been through. */
export interface ServerPast {
  /** The failures that still count, this one included. */
  readonly failures: number;
  /** It failed in a try made while the breaker was open. */
  readonly isTripped?: boolean;
  /** It has been ready since it was configured. */
  readonly wasReady?: boolean;
}

/**
 * The failures that still count: those within the breaker's time, and all since the last good start, so that a server which
 * takes long to fail opens the breaker too. No more are kept than open it.
 */
export function countedFailures(
  failuresMs: readonly number[],
  { nowMs, startedMs }: { readonly nowMs: number; readonly startedMs: number | undefined },
  { breaker }: RestartRule,
): number[] {
  const isSinceStart = (atMs: number): boolean => startedMs === undefined || atMs >= startedMs;
  const counted = failuresMs.filter((atMs) => isSinceStart(atMs) || nowMs - atMs < breaker.withinMs);
  return counted.slice(-Math.max(1, breaker.failures));
}

/** Decides after a failure. */
export function nextRestart(fault: ProtocolFault, past: ServerPast, rule: RestartRule): RestartVerdict {
  const { failures, isTripped, wasReady } = past;
  if (!retryOutlook(fault, wasReady).retryable)
    return { delayMs: undefined, state: fault.details.status === 401 ? "needs_login" : undefined };
  const askedMs = symptomsOf(fault.cause).retryAfterMs ?? 0;
  const { breaker, firstDelayMs: baseMs, maxDelayMs: maxMs, jitter, random } = rule;
  // An open breaker is closed by a good start alone, never by the passing of time.
  if (isTripped || failures >= breaker.failures)
    return { delayMs: Math.max(breaker.retryMs, askedMs), state: "tripped" };
  // The server is there and has only forgotten us: the first time there is nothing to wait for.
  if (fault.reason === "session_lost" && failures <= 1) return { delayMs: 0, state: "restarting" };
  const delayMs = backoffMs(failures - 1, { baseMs, maxMs, jitter, random });
  return { delayMs: Math.max(delayMs, askedMs), state: "restarting" };
}
