import { isProtocolFault, type ProtocolFault, type ServerEndpoint } from "../contract/index.ts";
import type { CurrentEndpoint } from "./current-endpoint.ts";
import type { EndpointLease } from "./endpoint-lease.ts";
import type { HealthOptions, Supervision } from "./fleet-options.ts";
import { hanging } from "./refusals.ts";
import type { StateMachine } from "./supervisor-state.ts";

export interface ConnectedWatchOptions {
  readonly machine: StateMachine;
  readonly current: CurrentEndpoint;
  readonly rules: Supervision;
  /** True if the server must keep running even though no call uses it. */
  readonly isNeeded: () => boolean;
  /** Called when the state has changed. */
  readonly onState: () => void;
  /** Called when the server has not been used for `idleMs`. */
  readonly onIdle: () => void;
  /** Called when the server must be restarted. */
  readonly onSilent: (fault: ProtocolFault) => void;
}

/** Watches a connected server and moves it between the states `ready`, `slow` and `silent`. */
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

  /** The server seems dead. A call still within its deadline may yet be answered, so it is not cut off. */
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

interface HealthWatch {
  readonly endpoint: ServerEndpoint;
  readonly rules: Required<HealthOptions>;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/**
 * Waits until a server is suspect, then probes it. It is suspect only after several calls timed out while nothing
 * at all arrived from it. Anything that arrives during the probes proves that it is alive. `undefined` after an abort.
 */
async function healthVerdict(watch: HealthWatch): Promise<"answers" | "silent" | undefined> {
  const { traffic } = watch.endpoint;
  await when(watch, () => traffic.missed >= watch.rules.missed);
  if (watch.signal.aborted) return undefined;
  const receivedBefore = traffic.received;
  for (let round = 0; round < watch.rules.rounds; round++) {
    for (const method of probesOf(watch.endpoint)) {
      const isAnswered = await answersProbe(watch, method);
      if (watch.signal.aborted) return undefined;
      if (isAnswered || traffic.received !== receivedBefore) return "answers";
    }
  }
  return "silent";
}

/** Waits until something arrives from a silent server or no call waits for it. Returns whether something arrived. */
async function hasReturned(watch: HealthWatch): Promise<boolean> {
  const { traffic } = watch.endpoint;
  await when(watch, () => traffic.missed === 0 || traffic.waiting === 0);
  return traffic.missed === 0;
}

/** Resolves as soon as the condition holds or the watch ends. */
function when({ endpoint, signal }: HealthWatch, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!signal.aborted && !holds()) return;
      stop();
      signal.removeEventListener("abort", check);
      resolve();
    };
    const stop = endpoint.traffic.onChange(check);
    signal.addEventListener("abort", check);
    check();
  });
}

function probesOf(endpoint: ServerEndpoint): readonly string[] {
  if (endpoint.phase !== "ready") return [];
  return endpoint.session().era === "modern" ? ["server/discover"] : ["ping", "tools/list"];
}

/** An error is an answer too; a request that could not be delivered is not. */
async function answersProbe({ endpoint, rules, signal }: HealthWatch, method: string): Promise<boolean> {
  const { probeMs } = rules;
  try {
    await endpoint.session().request(method, {}, { timeoutMs: probeMs, totalMs: probeMs, signal });
    return true;
  } catch (thrown) {
    return isProtocolFault(thrown) && (thrown.rpc !== undefined || thrown.details.status !== undefined);
  }
}

interface UnusedWatch extends Pick<ConnectedWatchOptions, "rules" | "isNeeded" | "onIdle" | "onSilent"> {
  readonly lease: EndpointLease;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/** Watches a server while no call uses it: pings it every `checkMs` and reports when it has been idle for `idleMs`. */
async function watchUnused(watch: UnusedWatch): Promise<void> {
  const { lease, rules, signal } = watch;
  const { clock, idleMs = Number.POSITIVE_INFINITY, checkMs = Number.POSITIVE_INFINITY } = rules;
  if (!Number.isFinite(Math.min(idleMs, checkMs))) return;
  let checkedMs = clock.monotonicMs();
  const remainingMs = (periodMs: number, sinceMs: number): number => sinceMs + periodMs - clock.monotonicMs();
  const untilIdle = (): number => remainingMs(idleMs, lease.usedMs);
  const untilCheck = (): number => remainingMs(checkMs, Math.max(lease.usedMs, checkedMs));
  for (;;) {
    if (!(await slept(watch, Math.min(untilIdle(), untilCheck())))) return;
    if (lease.isInUse) {
      lease.touch(); // A running call has its own deadline.
      continue;
    }
    if (untilIdle() <= 0 && watch.isNeeded()) lease.touch();
    if (untilIdle() <= 0) return watch.onIdle();
    if (untilCheck() > 0) continue;
    const fault = await ping(watch);
    if (signal.aborted) return;
    if (fault) return watch.onSilent(fault);
    checkedMs = clock.monotonicMs();
  }
}

async function slept({ rules, signal }: UnusedWatch, ms: number): Promise<boolean> {
  try {
    await rules.clock.sleep(Math.max(1, ms), signal);
    return !signal.aborted;
  } catch {
    return false;
  }
}

/** Returns a fault only if there was no answer at all: an error is an answer too. */
async function ping({ lease, rules, signal }: UnusedWatch): Promise<ProtocolFault | undefined> {
  const { checkTimeoutMs: timeoutMs } = rules;
  try {
    const session = lease.endpoint.session();
    await session.request(session.era === "modern" ? "server/discover" : "ping", {}, { timeoutMs, signal });
    return undefined;
  } catch (thrown) {
    const isSilent = isProtocolFault(thrown) && (thrown.kind === "timeout" || thrown.kind === "transport");
    return isSilent ? thrown : undefined;
  }
}
