import { untilAborted } from "../../../core/index.ts";
import { isUsablePhase } from "../../contract/index.ts";
import type { CurrentEndpoint } from "../current-endpoint.ts";
import type { SupervisorOptions } from "../supervisor-options.ts";
import {
  faultOf,
  isOpeningState,
  isProbe,
  type OpeningState,
  type StateMachine,
} from "../supervisor-state.ts";
import type { PlannedStart } from "./start-plan.ts";
import { StartWatch } from "./start-watch.ts";

export interface EndpointStartOptions
  extends Pick<SupervisorOptions, "config" | "rules" | "plan" | "process" | "onMute"> {
  readonly machine: StateMachine;
  readonly current: CurrentEndpoint;
  /** Called when the status may have changed. */
  readonly onState: () => void;
  /** Called when the endpoint is connected. The start lasts until this settles. */
  readonly onConnected: () => Promise<void>;
}

/** A shorter try says nothing about a server: most take a while to start. */
const COUNTED_MS = 3000;

/** A start whose endpoint is being opened. */
interface Try {
  readonly openedMs: number;
  readonly installs: boolean;
  readonly watch: StartWatch | undefined;
}

/** One start of a server: waits for a slot, then opens the next endpoint. */
export class EndpointStart {
  readonly #options: EndpointStartOptions;
  /** The last one. */
  #try: Try | undefined;

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

  /**
   * The server is being stopped for good. A start that this interrupts counts if it has taken 3 s or is mute; one that may
   * install a package only if it is mute, because an installation often outlives a run.
   */
  interrupted(): void {
    const { config, plan, machine, rules } = this.#options;
    if (!this.#try || !isOpeningState(machine.state)) return;
    const { openedMs, installs, watch } = this.#try;
    const isLong = !installs && rules.clock.monotonicMs() - openedMs >= COUNTED_MS;
    if (isLong || watch?.isMute()) plan.recordInterrupted(config);
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
    const installs = to.name === "installing";
    this.#try = { openedMs, installs, watch: this.#watch(installs, left) };
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

  /** Only a process can be watched. */
  #watch(installs: boolean, left: AbortSignal): StartWatch | undefined {
    const { config, process, current, plan, rules, onMute } = this.#options;
    const { muteMs } = plan;
    if (config.kind !== "stdio" || !process || muteMs === Number.POSITIVE_INFINITY) return undefined;
    const { traffic } = current.endpoint;
    const received = (): number => traffic.received;
    const watch = new StartWatch({ clock: rules.clock, muteMs, process, received, installs });
    void watch.untilMute(left).then((isMute) => isMute && onMute?.());
    return watch;
  }
}
