import { settlesWithin, untilAborted, withDeadline } from "../../core/index.ts";
import {
  type AcquireOptions,
  type EndpointStatus,
  isUsablePhase,
  type Lease,
  type ProtocolFault,
  type RemoteTool,
  type ServerConfig,
  type ServerEndpoint,
  type ServerState,
} from "../contract/index.ts";
import { EndpointLease } from "./endpoint-lease.ts";
import { FailureHistory } from "./failure-history.ts";
import { LastKnownTools } from "./last-known-tools.ts";
import { acquireTimedOut, breakerOpen, serverDisabled, serverRemoved } from "./refusals.ts";
import type { Supervision } from "./supervision-options.ts";
import { supervisorStatus } from "./supervisor-status.ts";
import { Wakeup } from "./wakeup.ts";
import { watchQuiet } from "./watch-quiet.ts";

export interface SupervisorOptions {
  readonly config: ServerConfig;
  readonly rules: Supervision;
  /** A fresh endpoint. Nothing is started by making it. */
  mint(): ServerEndpoint;
  /** Hears that the tools on offer became others. */
  onTools(tools: readonly RemoteTool[]): void;
  /** Hears how the server is whenever that changes. */
  onStatus(status: EndpointStatus): void;
  /** The first start waits for this, e.g. for the server whose place it takes. */
  readonly after?: Promise<unknown>;
}

/** No transport takes longer to close; one of somebody else's may never end. */
const CLOSE_MS = 10_000;
/** Endpoints that failed close themselves once their last requests are answered. So many may be doing that at a time. */
const MAX_FORMER = 4;

/**
 * Looks after one server: starts it, starts it again when it fails, stops it when nobody needs it, and lends it out.
 * Endpoints come and go, one at a time; the supervisor stays.
 */
export class Supervisor {
  readonly config: ServerConfig;
  readonly #options: SupervisorOptions;
  readonly #rules: Supervision;
  readonly #hurry = new AbortController();
  readonly #wakeup = new Wakeup();
  readonly #shelf: LastKnownTools;
  readonly #record: FailureHistory;
  #tenure: EndpointLease;
  /** Ends what belongs to the present endpoint alone: the wait before the next one, and the watch. */
  #present = new AbortController();
  /** Resolves when what was there before is gone: there are never two processes of one server at a time. */
  #gone: Promise<unknown> | undefined;
  #former: ServerEndpoint[] = [];
  #state: ServerState | undefined;
  /** What is wrong now, and what was wrong the last time. */
  #fault: ProtocolFault | undefined;
  #past: ProtocolFault | undefined;
  #isGivenUp = false;
  /** The next start has its time already. */
  #isDue = false;
  #restarts = 0;
  #told = "";
  #stopping: Promise<void> | undefined;

  constructor(options: SupervisorOptions) {
    this.config = options.config;
    this.#options = options;
    this.#rules = options.rules;
    this.#record = new FailureHistory(options.rules);
    this.#gone = options.after;
    this.#shelf = new LastKnownTools(options.config, (tools) => options.onTools(tools));
    this.#tenure = this.#seat();
  }

  get endpoint(): ServerEndpoint {
    return this.#tenure.endpoint;
  }

  /** The tools on offer: the last known ones, unless the server has been left alone. */
  get tools(): readonly RemoteTool[] {
    return this.#shelf.shown;
  }

  status(): EndpointStatus {
    return supervisorStatus(this.endpoint.status(), {
      state: this.#state,
      fault: this.#fault,
      past: this.#past,
      restarts: this.#restarts,
      toolCount: this.tools.length,
    });
  }

  /** Resolves when the first connect and listing are over, however they went; at once for one that waits to be asked for. */
  async start(): Promise<void> {
    const isOff = this.config.enabled === false;
    if (!isOff && !this.#rules.lazy) return this.#launch();
    this.#state = isOff ? "disabled" : "dormant";
    this.#tell();
  }

  /**
   * A usable endpoint: the present one, the one being started, or one started now. Refuses when there will be none, or not
   * in time: a signal may have no deadline.
   */
  async acquire({ signal }: AcquireOptions = {}): Promise<Lease> {
    if (isUsablePhase(this.endpoint.phase)) return this.#usable(signal);
    const { clock, acquireMs } = this.#rules;
    const reason = (): ProtocolFault => acquireTimedOut(this.config.id, acquireMs, this.#fault);
    return withDeadline({ signal, deadlineMs: acquireMs, reason, clock }, (joined) => this.#usable(joined));
  }

  /** Ends what is there and starts afresh, whatever had happened before. */
  async restart(): Promise<void> {
    if (this.#stopping || this.config.enabled === false) return;
    this.#record.forgive();
    this.#isGivenUp = false;
    this.#state = "restarting";
    this.#restarts++;
    this.#replace();
    await this.#launch();
  }

  /** Ends the server for good, after its calls if there is time for them. Never rejects, and nothing starts afterwards. */
  stop(drainMs = 0): Promise<void> {
    if (drainMs <= 0) this.#hurry.abort();
    this.#stopping ??= this.#shutDown(drainMs);
    return this.#stopping;
  }

  async #usable(signal: AbortSignal | undefined): Promise<Lease> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#stopping) throw serverRemoved(this.config.id);
      if (this.config.enabled === false) throw serverDisabled(this.config.id);
      if (isUsablePhase(this.endpoint.phase)) return this.#tenure.lease();
      this.#refuseIfHopeless();
      const turn = this.#wakeup.next();
      const isAsleep = !this.#tenure.isStarted || (this.endpoint.phase === "closed" && !this.#state);
      if (isAsleep) void this.#launch();
      await untilAborted(turn, signal);
    }
  }

  #refuseIfHopeless(): void {
    const { phase } = this.endpoint;
    if (this.#isGivenUp && this.#fault) throw this.#fault;
    if (this.#state === "tripped" && phase !== "connecting" && this.#fault)
      throw breakerOpen(this.config.id, this.#rules.breaker, this.#fault);
  }

  async #launch(): Promise<void> {
    if (this.#stopping) return;
    if (this.#tenure.isStarted) this.#replace();
    const tenure = this.#tenure;
    tenure.isStarted = true;
    if (this.#state === "dormant") this.#state = undefined;
    if (this.#gone) await this.#gone;
    if (this.#tenure !== tenure || this.#stopping) return;
    const opening = tenure.endpoint.open();
    this.#tell();
    try {
      await opening;
    } catch {
      return; // Heard, with its fault, as the end of the endpoint.
    }
    if (isUsablePhase(tenure.endpoint.phase)) this.#record.started();
    await this.#welcome(tenure);
  }

  async #welcome(tenure: EndpointLease): Promise<void> {
    if (this.#tenure !== tenure || this.#stopping) return;
    this.#state = undefined;
    this.#fault = undefined;
    this.#tell();
    // A listing that failed is in the notes; what was known before is the best there is until the endpoint's next try.
    const listed = await tenure.endpoint.listTools().catch(() => undefined);
    if (this.#tenure !== tenure || !isUsablePhase(tenure.endpoint.phase)) return;
    this.#shelf.offer(listed);
    this.#tell();
    tenure.usedMs = this.#rules.clock.monotonicMs();
    void watchQuiet({
      tenure,
      rules: this.#rules,
      signal: this.#present.signal,
      onIdle: () => this.#rest(),
      onSilent: (fault) => this.#giveUpOn(tenure, fault),
    });
  }

  #seat(): EndpointLease {
    const tenure = new EndpointLease(this.#options.mint(), this.#rules.clock);
    tenure.endpoint.onEnd((fault) => this.#ended(tenure, fault));
    tenure.endpoint.onToolsChanged(({ tools }) => {
      if (this.#tenure !== tenure || this.#stopping) return;
      this.#shelf.offer(tools);
      this.#tell();
    });
    return tenure;
  }

  /** Puts a fresh endpoint in the place of the present one, which is closed, or closing by itself if it failed. */
  #replace(): void {
    const { endpoint: old } = this.#tenure;
    this.#present.abort();
    this.#present = new AbortController();
    this.#tenure = this.#seat();
    if (old.phase !== "faulted") return this.#close(old);
    this.#former.push(old);
    if (this.#former.length > MAX_FORMER) void this.#former.shift()?.close();
  }

  #close(endpoint: ServerEndpoint): void {
    const closing = Promise.all([this.#gone, settlesWithin(endpoint.close(), CLOSE_MS)]);
    this.#gone = closing.then(() => {});
  }

  #ended(tenure: EndpointLease, fault: ProtocolFault | undefined): void {
    if (this.#tenure !== tenure || this.#stopping) return;
    if (!fault && this.#isDue) return; // Closed by us because it was silent, and judged already.
    this.#present.abort();
    if (fault) this.#judge(fault);
    else this.#state = undefined; // Closed by somebody's hand: the next who needs it starts it.
    this.#tell();
  }

  #judge(fault: ProtocolFault): void {
    this.#fault = this.#past = fault;
    this.#isGivenUp = !this.#rules.restarts;
    if (this.#isGivenUp) return;
    const { delayMs, state } = this.#record.failed(fault, this.#state === "tripped");
    this.#state = state;
    this.#isGivenUp = delayMs === undefined;
    if (state === "tripped") this.#shelf.hide();
    if (delayMs !== undefined) void this.#restartAfter(delayMs);
  }

  async #restartAfter(delayMs: number): Promise<void> {
    this.#present = new AbortController();
    this.#isDue = true;
    try {
      await this.#rules.clock.sleep(delayMs, this.#present.signal);
    } catch {
      return; // Stopped, or started by hand meanwhile.
    } finally {
      this.#isDue = false;
    }
    this.#restarts++;
    await this.#launch();
  }

  /** Nobody has used it for long enough. The tools stay: the next call wakes it. */
  #rest(): void {
    if (this.#tenure.isInUse) return;
    this.#replace();
    this.#state = "dormant";
    this.#tell();
  }

  /** The connection stands, and nobody answers at its other end. */
  #giveUpOn(tenure: EndpointLease, fault: ProtocolFault): void {
    if (this.#tenure !== tenure || this.#stopping) return;
    this.#close(tenure.endpoint);
    this.#present.abort();
    this.#judge(fault);
    this.#tell();
  }

  async #shutDown(drainMs: number): Promise<void> {
    this.#present.abort();
    this.#wakeup.wake();
    await this.#tenure.drained(drainMs, this.#hurry.signal);
    const closing = [this.#tenure.endpoint, ...this.#former].map((endpoint) => endpoint.close());
    await settlesWithin(Promise.all([this.#gone, ...closing]), CLOSE_MS);
    this.#state = undefined;
    this.#tell();
  }

  #tell(): void {
    this.#wakeup.wake();
    const status = this.status();
    const { phase, state, toolCount, restarts, summary } = status;
    const told = JSON.stringify([phase, state, toolCount, restarts, summary]);
    if (told === this.#told) return;
    this.#told = told;
    this.#options.onStatus(status);
  }
}
