import { untilAborted } from "../../../core/index.ts";
import { isUsablePhase } from "../../contract/index.ts";
import type { CurrentEndpoint } from "../current-endpoint.ts";
import type { SupervisorOptions } from "../supervisor-options.ts";
import { faultOf, isProbe, type OpeningState, type StateMachine } from "../supervisor-state.ts";
import type { PlannedStart } from "./start-plan.ts";

export interface EndpointStartOptions
  extends Pick<SupervisorOptions, "config" | "rules" | "plan" | "process"> {
  readonly machine: StateMachine;
  readonly current: CurrentEndpoint;
  /** Called when the status may have changed. */
  readonly onState: () => void;
  /** Called when the endpoint is connected. The start lasts until this settles. */
  readonly onConnected: () => Promise<void>;
}

/** One start of a server: waits for a slot, then opens the next endpoint. */
export class EndpointStart {
  readonly #options: EndpointStartOptions;

  constructor(options: EndpointStartOptions) {
    this.#options = options;
  }

  async run(to: OpeningState, start: Partial<PlannedStart> = {}): Promise<void> {
    const { config, plan, machine, current, onState, onConnected, process } = this.#options;
    const ticket = plan.enter(config, {
      isCalled: false,
      isRestart: to.name !== "starting",
      onWait: onState,
      process,
      ...start,
    });
    const next: OpeningState = ticket.installs
      ? { name: "installing", fault: faultOf(to), isProbe: isProbe(to) }
      : to;
    const leftQueue = machine.move({ name: "queued", next, ticket });
    current.renew();
    await untilAborted(ticket.granted, leftQueue).catch(() => {});
    const isConnected = !leftQueue.aborted && (await this.#connect(next));
    ticket.leave();
    if (isConnected) await onConnected();
  }

  /** False if the endpoint failed, or if its state was left. */
  async #connect(to: OpeningState): Promise<boolean> {
    const { config, plan, machine, current, onState, rules } = this.#options;
    const left = machine.move(to);
    current.renew(); // Its holder may have closed it in the meantime.
    if (current.cleared) await current.cleared;
    if (left.aborted) return false;
    plan.recordTry(config);
    const openedMs = rules.clock.monotonicMs();
    const opening = current.endpoint.open();
    onState();
    try {
      await opening;
    } catch {
      return false; // The listener for the end of the endpoint has received the fault.
    }
    if (left.aborted || !isUsablePhase(current.endpoint.phase)) return false;
    plan.recordReady(config, rules.clock.monotonicMs() - openedMs);
    return true;
  }
}
