import { untilAborted, withDeadline } from "../../core/index.ts";
import {
  type AcquireOptions,
  type EndpointStatus,
  isUsablePhase,
  type Lease,
  type ProtocolFault,
  type RemoteTool,
  type ServerConfig,
  type ServerEndpoint,
  type StartHistory,
} from "../contract/index.ts";
import { CurrentEndpoint } from "./current-endpoint.ts";
import type { HealthOptions, Supervision } from "./fleet-options.ts";
import { LastKnownTools } from "./last-known-tools.ts";
import { acquireTimedOut, hanging, refusalIn, unsupportedRow } from "./refusals.ts";
import { FailureHistory } from "./restart-policy.ts";
import {
  faultOf,
  type InitialState,
  StateMachine,
  type StateName,
  type SupervisorState,
  Wakeup,
} from "./supervisor-state.ts";
import { supervisorStatus } from "./supervisor-status.ts";
import { hasReturned, healthVerdict } from "./watch-health.ts";
import { watchUnused } from "./watch-unused.ts";

export interface SupervisorOptions {
  readonly config: ServerConfig;
  readonly rules: Supervision;
  /** Creates an endpoint without starting anything. */
  mint(): ServerEndpoint;
  /** Called when the tools on offer changed. */
  onTools(tools: readonly RemoteTool[]): void;
  /** Called when the status changed. */
  onStatus(status: EndpointStatus): void;
  /** The tools that a lazy server offers before its first start. Without them it is started once to learn its tools. */
  readonly seed?: readonly RemoteTool[];
  /** Told about every start that succeeds or fails. */
  readonly starts?: StartHistory;
  /** The first start waits for this, e.g. for the end of a server with the same id. */
  readonly after?: Promise<unknown>;
}

/** The states in which an endpoint is being opened. */
type OpeningState = Extract<SupervisorState, { readonly name: "starting" | "restarting" | "probing" }>;

/** The states in which its endpoint may list tools. */
const RUNNING: readonly StateName[] = ["ready", "slow", "silent"];

/**
 * Keeps one server running: starts it, restarts it after a failure, stops it when it is unused, and leases it to callers.
 * It outlives its endpoints. Every change of state goes through the `StateMachine`.
 */
export class Supervisor {
  readonly config: ServerConfig;
  readonly #options: SupervisorOptions;
  readonly #rules: Supervision;
  readonly #machine: StateMachine;
  readonly #current: CurrentEndpoint;
  readonly #tools: LastKnownTools;
  readonly #history: FailureHistory;
  readonly #wakeup = new Wakeup();
  /** Aborts the wait for running calls while stopping. */
  readonly #hurry = new AbortController();
  /** Started only to learn its tools: it is stopped when they are listed, unless a call needs it. */
  #isLearning = false;
  #restarts = 0;
  #published = "";

  constructor(options: SupervisorOptions) {
    const { config, rules, after } = options;
    this.config = config;
    this.#options = options;
    this.#rules = rules;
    this.#machine = new StateMachine(initialState(config));
    this.#history = new FailureHistory(rules);
    this.#tools = new LastKnownTools(config, (tools) => options.onTools(tools));
    this.#current = new CurrentEndpoint({
      clock: rules.clock,
      mint: () => options.mint(),
      onEnd: (fault) => this.#ended(fault),
      onTools: (tools) => this.#listed(tools),
      after,
    });
  }

  get endpoint(): ServerEndpoint {
    return this.#current.endpoint;
  }

  /** The tools on offer: the last known ones, or none while the breaker is open. */
  get tools(): readonly RemoteTool[] {
    return this.#tools.offered;
  }

  status(): EndpointStatus {
    return supervisorStatus(this.endpoint.status(), {
      state: this.#machine.state,
      lastFault: this.#history.last,
      restarts: this.#restarts,
      toolCount: this.tools.length,
    });
  }

  /** Resolves after the first connect and listing, successful or not; at once if neither is needed now. */
  async start(): Promise<void> {
    const { seed } = this.#options;
    const isSeeded = this.#rules.lazy && seed !== undefined;
    if (this.#machine.can("starting") && !isSeeded) {
      this.#isLearning = this.#rules.lazy;
      return this.#open({ name: "starting" });
    }
    if (isSeeded && this.#machine.can("starting")) this.#tools.offer(seed);
    this.#publish();
  }

  /**
   * Leases a usable endpoint: the current one, the one being started, or one started now. Rejects if there will be none, or
   * none within `acquireMs`: a caller's signal may have no deadline.
   */
  async acquire({ signal }: AcquireOptions = {}): Promise<Lease> {
    if (this.#isUsable) return this.#acquired(signal);
    const { clock, acquireMs } = this.#rules;
    const reason = (): ProtocolFault =>
      acquireTimedOut(this.config.id, acquireMs, faultOf(this.#machine.state));
    return withDeadline({ signal, deadlineMs: acquireMs, reason, clock }, (joined) => this.#acquired(joined));
  }

  /** Ends the current endpoint, forgets all failures and starts a new endpoint. Does nothing if disabled or stopped. */
  async restart(): Promise<void> {
    if (!this.#machine.can("restarting")) return;
    this.#history.forgive();
    this.#restarts++;
    await this.#open({ name: "restarting", fault: faultOf(this.#machine.state) });
  }

  /** Ends the server for good; running calls may finish within `drainMs`. Never rejects. */
  stop(drainMs = 0): Promise<void> {
    if (drainMs <= 0) this.#hurry.abort();
    const { state } = this.#machine;
    if (state.name === "stopping") return state.done;
    if (state.name === "stopped") return Promise.resolve();
    const done = Promise.resolve().then(() => this.#shutDown(drainMs));
    this.#machine.move({ name: "stopping", done });
    this.#wakeup.wake();
    return done;
  }

  get #isUsable(): boolean {
    return isUsablePhase(this.endpoint.phase) && this.#machine.state.name !== "silent";
  }

  async #acquired(signal: AbortSignal | undefined): Promise<Lease> {
    for (;;) {
      signal?.throwIfAborted();
      const refusal = refusalIn(this.#machine.state, this.config.id, this.#rules.breaker);
      if (refusal) throw refusal;
      if (this.#isUsable) {
        this.#isLearning = false;
        return this.#current.lease.grant();
      }
      const change = this.#wakeup.next();
      if (this.#machine.can("starting")) void this.#open({ name: "starting" });
      await untilAborted(change, signal);
    }
  }

  async #open(to: OpeningState): Promise<void> {
    const left = this.#machine.move(to);
    this.#current.renew();
    if (this.#current.cleared) await this.#current.cleared;
    if (left.aborted) return;
    const { clock } = this.#rules;
    const { starts } = this.#options;
    const grantedMs = clock.monotonicMs();
    const opening = this.endpoint.open();
    this.#publish();
    try {
      await opening;
    } catch {
      if (this.#machine.state.name !== "stopping") starts?.recordFailure?.(this.config);
      return; // `#ended` has received the fault.
    }
    if (left.aborted || !isUsablePhase(this.endpoint.phase)) return;
    starts?.recordReady(this.config, clock.monotonicMs() - grantedMs);
    await this.#opened();
  }

  async #opened(): Promise<void> {
    this.#history.started();
    const left = this.#machine.move({ name: "ready" });
    this.#publish();
    // If the listing fails, the status notes it, and the tools known before stay until the endpoint's next try.
    const listed = await this.endpoint.listTools().catch(() => undefined);
    if (left.aborted) return;
    this.#tools.offer(listed);
    if (listed && this.#isLearning) return this.#rest();
    this.#publish();
    this.#watch(left);
  }

  /** Watches the server while it is ready or slow. */
  #watch(left: AbortSignal): void {
    this.#current.lease.touch();
    void this.#watchHealth(left);
    void watchUnused({
      lease: this.#current.lease,
      rules: this.#rules,
      signal: left,
      onIdle: () => this.#rest(),
      onSilent: (fault) => this.#abandon(fault),
    });
  }

  async #watchHealth(signal: AbortSignal): Promise<void> {
    const { health: rules } = this.#rules;
    if (!rules) return;
    const watch = { endpoint: this.endpoint, rules, signal };
    for (;;) {
      const verdict = await healthVerdict(watch);
      if (!verdict) return;
      if (verdict === "silent") return this.#hangs(rules);
      if (this.#machine.state.name === "ready") return this.#slowed();
    }
  }

  /** The server is alive but does not answer its calls in time. It is not restarted. */
  #slowed(): void {
    const left = this.#machine.move({ name: "slow" });
    const stop = this.endpoint.traffic.onAnswer(() => {
      stop();
      if (!left.aborted) this.#recovered();
    });
    this.#watch(left);
    this.#publish();
  }

  /** A call was answered. */
  #recovered(): void {
    this.#watch(this.#machine.move({ name: "ready" }));
    this.#publish();
  }

  /** The server is not alive. A call that is still within its time may be answered all the same, so it is not cut off. */
  async #hangs(rules: Required<HealthOptions>): Promise<void> {
    const { endpoint } = this;
    const fault = hanging(this.config.id, endpoint.traffic.missed);
    if (endpoint.traffic.waiting === 0) return this.#abandon(fault);
    const left = this.#machine.move({ name: "silent", fault });
    this.#publish();
    let isAnswered = false;
    const stop = endpoint.traffic.onAnswer(() => (isAnswered = true));
    const isBack = await hasReturned({ endpoint, rules, signal: left });
    stop();
    if (left.aborted) return;
    if (isAnswered) this.#recovered();
    else if (isBack) this.#slowed();
    else this.#abandon(fault);
  }

  #listed(tools: readonly RemoteTool[]): void {
    if (!RUNNING.includes(this.#machine.state.name)) return;
    this.#tools.offer(tools);
    if (this.#isLearning && this.#machine.can("dormant")) this.#rest();
    else this.#publish();
  }

  #ended(fault: ProtocolFault | undefined): void {
    // The end of an endpoint that was given up already, or is being stopped, changes nothing.
    if (!this.#machine.can("closed")) return;
    if (fault) this.#fail(fault);
    else this.#machine.move({ name: "closed" });
    this.#publish();
  }

  #fail(fault: ProtocolFault): void {
    const verdict = this.#history.failed(fault, this.#machine.state.name === "probing");
    const left = this.#machine.move({ name: verdict.next, fault });
    if (verdict.next === "tripped") this.#tools.hide();
    if (!("delayMs" in verdict)) return;
    const name = verdict.next === "tripped" ? "probing" : "restarting";
    void this.#openAfter(verdict.delayMs, { name, fault }, left);
  }

  async #openAfter(delayMs: number, to: OpeningState, left: AbortSignal): Promise<void> {
    await this.#rules.clock.sleep(delayMs, left).catch(() => {});
    if (left.aborted) return; // Stopped, or restarted by request.
    this.#restarts++;
    await this.#open(to);
  }

  /** Unused for `idleMs`, or started only to learn its tools: stops the server but keeps its tools on offer. The next call starts it. */
  #rest(): void {
    this.#isLearning = false;
    this.#machine.move({ name: "dormant" });
    this.#current.renew();
    this.#publish();
  }

  /** The connection is open, but the server does not answer. */
  #abandon(fault: ProtocolFault): void {
    this.#current.close();
    this.#fail(fault);
    this.#publish();
  }

  async #shutDown(drainMs: number): Promise<void> {
    await this.#current.lease.drained(drainMs, this.#hurry.signal);
    await this.#current.closeAll();
    this.#machine.move({ name: "stopped" });
    this.#publish();
  }

  #publish(): void {
    this.#wakeup.wake();
    const status = this.status();
    const { phase, state, toolCount, restarts, summary } = status;
    const published = JSON.stringify([phase, state, toolCount, restarts, summary]);
    if (published === this.#published) return;
    this.#published = published;
    this.#options.onStatus(status);
  }
}

function initialState(config: ServerConfig): InitialState {
  if (config.enabled === false) return { name: "disabled" };
  const fault = unsupportedRow(config);
  return fault ? { name: "refused", fault } : { name: "dormant" };
}
