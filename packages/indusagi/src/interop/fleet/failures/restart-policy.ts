import { backoffMs } from "../../../core/index.ts";
import type { ProtocolFault } from "../../contract/index.ts";
import { symptomsOf } from "../../endpoint/index.ts";
import type { Supervision } from "../fleet-options.ts";
import { retryOutlook } from "./retry-outlook.ts";

/** The state that follows a failure, and when the next start is due. */
export type RestartVerdict =
  | { readonly next: "waiting" | "tripped"; readonly delayMs: number }
  | { readonly next: "failed" | "needs_login" };

export type RestartRule = Pick<
  Supervision,
  "restarts" | "firstDelayMs" | "maxDelayMs" | "jitter" | "breaker" | "random"
>;

/** The part of a server's history that decides what follows a failure. */
export interface ServerPast {
  /** The failures that still count, this one included. */
  readonly failures: number;
  /** It failed in a retry while the breaker was open. */
  readonly isProbe?: boolean;
  /** It has been ready since it was configured. */
  readonly wasReady?: boolean;
}

/**
 * The failures that still count: those within the breaker's time, and all since the last good start, so a server that fails
 * slowly opens the breaker too. Keeps no more of them than it takes to open the breaker.
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

export function nextRestart(fault: ProtocolFault, past: ServerPast, rule: RestartRule): RestartVerdict {
  const { failures, isProbe, wasReady } = past;
  if (!rule.restarts) return { next: needsLogin(fault) ? "needs_login" : "failed" };
  if (!retryOutlook(fault, wasReady).retryable) return { next: needsLogin(fault) ? "needs_login" : "failed" };
  const askedMs = symptomsOf(fault.cause).retryAfterMs ?? 0;
  const { breaker, firstDelayMs: baseMs, maxDelayMs: maxMs, jitter, random } = rule;
  // Only a good start closes an open breaker. The passing of time does not.
  if (isProbe || failures >= breaker.failures)
    return { next: "tripped", delayMs: Math.max(breaker.retryMs, askedMs) };
  // The server is up and has only lost our session: the first time there is no reason to wait.
  if (fault.reason === "session_lost" && failures <= 1) return { next: "waiting", delayMs: 0 };
  const delayMs = backoffMs(failures - 1, { baseMs, maxMs, jitter, random });
  return { next: "waiting", delayMs: Math.max(delayMs, askedMs) };
}

function needsLogin({ details: { status, login } }: ProtocolFault): boolean {
  return status === 401 || login !== undefined;
}

/** The starts and failures of one server since it was configured. */
export class FailureHistory {
  readonly #rules: Supervision;
  #failuresMs: number[] = [];
  #startedMs: number | undefined;
  #last: ProtocolFault | undefined;

  constructor(rules: Supervision) {
    this.#rules = rules;
  }

  /** The last fault, even if the server is ready again. */
  get last(): ProtocolFault | undefined {
    return this.#last;
  }

  /** Records a start that succeeded. */
  started(): void {
    this.#startedMs = this.#rules.clock.monotonicMs();
  }

  /** Forgets the failures: the server is started by request. */
  forgive(): void {
    this.#failuresMs = [];
  }

  /** Records a failure. `isProbe`: it was a retry while the breaker was open. */
  failed(fault: ProtocolFault, isProbe: boolean): RestartVerdict {
    const nowMs = this.#rules.clock.monotonicMs();
    const startedMs = this.#startedMs;
    this.#last = fault;
    this.#failuresMs = countedFailures([...this.#failuresMs, nowMs], { nowMs, startedMs }, this.#rules);
    const past = { failures: this.#failuresMs.length, isProbe, wasReady: startedMs !== undefined };
    return nextRestart(fault, past, this.#rules);
  }
}
