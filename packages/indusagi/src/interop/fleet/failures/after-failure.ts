import { onAbort } from "../../../core/index.ts";
import type { ProtocolFault } from "../../contract/index.ts";
import type { LastKnownTools } from "../last-known-tools.ts";
import type { SupervisorOptions } from "../supervisor-options.ts";
import { isOpeningState, isProbe, type OpeningState, type StateMachine } from "../supervisor-state.ts";
import type { FailureHistory } from "./restart-policy.ts";

export interface AfterFailureOptions
  extends Pick<SupervisorOptions, "config" | "rules" | "plan" | "onLogin"> {
  readonly machine: StateMachine;
  readonly history: FailureHistory;
  readonly tools: LastKnownTools;
  /** Opens the next endpoint after a failure. */
  reopen(to: OpeningState): Promise<void>;
  /** Starts the server again as if on request: its failures are forgotten. */
  restart(): Promise<void>;
}

/** What follows a failure of one server: the next state, and the next start after a delay or after a login. */
export class AfterFailure {
  readonly #options: AfterFailureOptions;

  constructor(options: AfterFailureOptions) {
    this.#options = options;
  }

  failed(fault: ProtocolFault): void {
    const { config, rules, plan, machine, history, tools } = this.#options;
    if (isOpeningState(machine.state)) plan.recordFailure(config);
    const verdict = history.failed(fault, isProbe(machine.state));
    const left = machine.move({ name: verdict.next, fault });
    const isFinal = !("delayMs" in verdict);
    if (verdict.next === "tripped" || (isFinal && !tools.areListed)) tools.hide();
    if (verdict.next === "needs_login" && rules.restarts) this.#awaitLogin(left);
    if (isFinal) return;
    const name = verdict.next === "tripped" ? "probing" : "restarting";
    void this.#openAfter(verdict.delayMs, { name, fault }, left);
  }

  /** Starts the server again after a login, even one in another process. */
  #awaitLogin(left: AbortSignal): void {
    const stop = this.#options.onLogin?.(() => {
      if (!left.aborted) void this.#options.restart();
    });
    if (stop) onAbort(left, stop);
  }

  async #openAfter(delayMs: number, to: OpeningState, left: AbortSignal): Promise<void> {
    await this.#options.rules.clock.sleep(delayMs, left).catch(() => {});
    if (left.aborted) return; // Stopped, or restarted by request.
    await this.#options.reopen(to);
  }
}
