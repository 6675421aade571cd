import type { ProtocolFault } from "../../contract/index.ts";
import type { CurrentEndpoint } from "../current-endpoint.ts";
import type { HealthOptions, Supervision } from "../fleet-options.ts";
import { hanging } from "../refusals.ts";
import type { StateMachine } from "../supervisor-state.ts";
import { hasReturned, healthVerdict } from "./watch-health.ts";
import { watchUnused } from "./watch-unused.ts";

export interface ConnectedWatchOptions {
  readonly machine: StateMachine;
  readonly current: CurrentEndpoint;
  readonly rules: Supervision;
  /** True if the server must not be stopped although no call uses it. */
  readonly isNeeded: () => boolean;
  /** Called when the state has changed. */
  readonly onState: () => void;
  /** Called when the server has not been used for `idleMs`. */
  readonly onIdle: () => void;
  /** Called when the server must be given up. */
  readonly onSilent: (fault: ProtocolFault) => void;
}

/** Watches a server that is connected, and moves it between the states `ready`, `slow` and `silent`. */
export class ConnectedWatch {
  readonly #options: ConnectedWatchOptions;

  constructor(options: ConnectedWatchOptions) {
    this.#options = options;
  }

  /** Begins the watch. It ends when the signal aborts, which belongs to the state `ready` or `slow`. */
  begin(left: AbortSignal): void {
    const { current, rules, isNeeded, onIdle, onSilent } = this.#options;
    current.lease.touch();
    void this.#watchHealth(left);
    void watchUnused({ lease: current.lease, rules, signal: left, isNeeded, onIdle, onSilent });
  }

  async #watchHealth(signal: AbortSignal): Promise<void> {
    const { current, machine, rules } = this.#options;
    const { health } = rules;
    if (!health) return;
    const watch = { endpoint: current.endpoint, rules: health, signal };
    for (;;) {
      const verdict = await healthVerdict(watch);
      if (!verdict) return;
      if (verdict === "silent") return this.#hangs(health);
      if (machine.state.name === "ready") return this.#slowed();
    }
  }

  /** The server is alive but does not answer its calls in time. It is not restarted. */
  #slowed(): void {
    const { current, machine, onState } = this.#options;
    const left = machine.move({ name: "slow" });
    const stop = current.endpoint.traffic.onAnswer(() => {
      stop();
      if (!left.aborted) this.#recovered();
    });
    this.begin(left);
    onState();
  }

  /** A call was answered. */
  #recovered(): void {
    const { machine, onState } = this.#options;
    this.begin(machine.move({ name: "ready" }));
    onState();
  }

  /** The server is not alive. A call that is still within its time may be answered all the same, so it is not cut off. */
  async #hangs(rules: Required<HealthOptions>): Promise<void> {
    const { machine, onState, onSilent } = this.#options;
    const { endpoint } = this.#options.current;
    const fault = hanging(endpoint.config.id, endpoint.traffic.missed);
    if (endpoint.traffic.waiting === 0) return onSilent(fault);
    const left = machine.move({ name: "silent", fault });
    onState();
    let isAnswered = false;
    const stop = endpoint.traffic.onAnswer(() => (isAnswered = true));
    const isBack = await hasReturned({ endpoint, rules, signal: left });
    stop();
    if (left.aborted) return;
    if (isAnswered) this.#recovered();
    else if (isBack) this.#slowed();
    else onSilent(fault);
  }
}
