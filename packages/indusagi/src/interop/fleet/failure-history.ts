import type { ProtocolFault } from "../contract/index.ts";
import { countedFailures, nextRestart, type RestartVerdict } from "./restart-policy.ts";
import type { Supervision } from "./supervision-options.ts";

/** How one server has done since it was configured, as far as the next failure is judged by it. */
export class FailureHistory {
  readonly #rules: Supervision;
  #failuresMs: number[] = [];
  /** When a start last succeeded. */
  #startedMs: number | undefined;

  constructor(rules: Supervision) {
    this.#rules = rules;
  }

  started(): void {
    this.#startedMs = this.#rules.clock.monotonicMs();
  }

  /** Somebody starts it by hand: its failures no longer count. */
  forgive(): void {
    this.#failuresMs = [];
  }

  /** It has failed. `isTripped`: in a try made while the breaker was open. */
  failed(fault: ProtocolFault, isTripped: boolean): RestartVerdict {
    const nowMs = this.#rules.clock.monotonicMs();
    const startedMs = this.#startedMs;
    this.#failuresMs = countedFailures([...this.#failuresMs, nowMs], { nowMs, startedMs }, this.#rules);
    const past = { failures: this.#failuresMs.length, isTripped, wasReady: startedMs !== undefined };
    return nextRestart(fault, past, this.#rules);
  }
}
