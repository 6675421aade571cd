import { settlesWithin } from "../../core/index.ts";
import {
  type AcquireOptions,
  type EndpointStatus,
  type ExtensionKey,
  isUsablePhase,
  type Lease,
  ProtocolFault,
  type RemoteTool,
  type ServerConfig,
  type ServerEndpoint,
  type ToolListing,
  type WithheldTool,
} from "../contract/index.ts";
import { CurrentEndpoint } from "./current-endpoint.ts";
import { AfterFailure } from "./failures/after-failure.ts";
import { FailureHistory } from "./failures/restart-policy.ts";
import type { ServerFeed } from "./feed/server-feed.ts";
import type { Supervision } from "./fleet-options.ts";
import { LastKnownTools } from "./last-known-tools.ts";
import { initialState, notReviewed, refusalIn } from "./refusals.ts";
import { EndpointStart } from "./starts/endpoint-start.ts";
import { StartPatience } from "./starts/start-patience.ts";
import type { SupervisorOptions } from "./supervisor-options.ts";
import {
  faultOf,
  isAtRest,
  isConnectedState,
  isForbidden,
  type OpeningState,
  StateMachine,
  Wakeup,
} from "./supervisor-state.ts";
import { StatusReport } from "./supervisor-status.ts";
import { ConnectedWatch } from "./watch-connected.ts";

type CalledTool = NonNullable<AcquireOptions["tool"]>;

/** How long a start counts as going on while the lists for clients with extensions are read: the tools for all others are known. */
const CLASSES_MS = 5_000;

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
  /** The server makes a list for clients with these extensions, which is not known from earlier. */
  readonly #unknownClasses = new Set<ExtensionKey>();
  #firstStart: Promise<void> | undefined;
  readonly #history: FailureHistory;
  readonly #start: EndpointStart;
  readonly #watch: ConnectedWatch;
  readonly #afterFailure: AfterFailure;
  readonly #report: StatusReport;
  readonly #wakeup = new Wakeup();
  /** Aborts the wait for running calls while stopping. */
  readonly #hurry = new AbortController();
  /** Started only to learn its tools: it is stopped when they are listed, unless a call needs it. */
  #isLearning = false;
  /** Callers that wait for a usable endpoint. */
  #waiting = 0;
  /** The last endpoint that was asked for its tools. `lists`: whether it has listed those for clients with these extensions. */
  #asked: { readonly endpoint: ServerEndpoint; readonly lists: Map<ExtensionKey, boolean> } | undefined;

  constructor(options: SupervisorOptions) {
    const { config, rules, plan, process, onMute, after } = options;
    this.config = config;
    this.#options = options;
    this.#rules = rules;
    this.#machine = new StateMachine(initialState(config, options.fault));
    this.#history = new FailureHistory(rules);
    this.#tools = new LastKnownTools(config, (...offered) => options.onTools(...offered), options.review);
    this.#current = new CurrentEndpoint({
      clock: rules.clock,
      mint: () => options.mint(),
      onEnd: (fault) => this.#ended(fault),
      onTools: (listing) => this.#listed(listing),
      after,
    });
    const onState = (): void => this.#publish();
    const parts = { machine: this.#machine, history: this.#history, tools: this.#tools };
    this.#report = new StatusReport({ ...parts, ...options, endpoint: () => this.endpoint });
    this.#afterFailure = new AfterFailure({
      ...options,
      ...parts,
      reopen: (to) => this.#reopen(to),
      restart: () => this.restart(),
    });
    const running = { machine: this.#machine, current: this.#current, rules, onState };
    this.#start = new EndpointStart({
      ...running,
      config,
      plan,
      process,
      onMute,
      onConnected: () => this.#connected(),
    });
    this.#watch = new ConnectedWatch({
      ...running,
      isNeeded: () => options.feed.isNeeded || this.#isUnlisted,
      onIdle: () => this.#rest(),
      onSilent: (fault) => this.#abandon(fault),
    });
  }

  get endpoint(): ServerEndpoint {
    return this.#current.endpoint;
  }

  get feed(): ServerFeed {
    return this.#options.feed;
  }

  /** False if its configuration forbids starting it. */
  get canStart(): boolean {
    return !isForbidden(this.#machine.state);
  }

  /** True while a call uses it or waits for it, or something is watched on it. */
  get isInUse(): boolean {
    return this.#waiting > 0 || this.#current.lease.isInUse || this.feed.isNeeded;
  }

  /** When a call last used it. */
  get usedMs(): number {
    return this.#current.lease.usedMs;
  }

  /** The tools on offer: the last known ones, or none while the breaker is open. */
  get tools(): readonly RemoteTool[] {
    return this.#tools.offered;
  }

  /** The tools on offer to clients with these extensions. */
  toolsFor(extensions: ExtensionKey): readonly RemoteTool[] {
    return this.#tools.offeredTo(extensions);
  }

  /** The tools that the review of the last listing does not offer: of that for these extensions, or of any. */
  withheld(extensions?: ExtensionKey): readonly WithheldTool[] {
    return extensions === undefined ? this.#tools.allWithheld : this.#tools.withheldFrom(extensions);
  }

  /**
   * Lists the tools for clients with these extensions too: now, if the server runs, and after each start. Waits for a start under way
   * if they are not known from earlier.
   */
  async listFor(extensions: ExtensionKey): Promise<void> {
    if (!this.canStart) return;
    if (!this.#tools.classes.includes(extensions)) this.#offerEarlier(extensions);
    if (this.#unknownClasses.has(extensions)) {
      // The tools for all others are known, so the start may be held back for the first list, which needs it.
      const { state } = this.#machine;
      if (state.name === "queued") state.ticket.call();
      await this.#firstStart;
    }
    if (isConnectedState(this.#machine.state) && this.#tools.areListed) await this.#listClasses([extensions]);
  }

  #offerEarlier(extensions: ExtensionKey): void {
    const own = this.#tools.forClass(extensions);
    const seed = this.#options.seedFor?.(extensions);
    if (seed?.tools) own.offerEarlier(seed.tools, seed.extensions);
    else if (seed && !this.#rules.lazy) this.#unknownClasses.add(extensions);
  }

  /** Reviews the last listing again. */
  reviewAgain(): void {
    this.#tools.reviewAgain();
    this.#publish();
  }

  status(): EndpointStatus {
    return this.#report.status();
  }

  /** Resolves after the first connect and listing, successful or not; at once if neither is needed now. */
  async start(): Promise<void> {
    const { seed, heldUntil } = this.#options;
    // Clients may still watch a resource from before the row changed: a stopped server would report nothing.
    const lazy = this.#rules.lazy && !this.feed.isNeeded;
    const canStart = isAtRest(this.#machine.state);
    if (canStart && seed) this.#tools.offerEarlier(seed);
    if (canStart && !(lazy && seed)) {
      this.#isLearning = lazy;
      this.#firstStart = this.#start.run({ name: "starting" }, { after: heldUntil });
      return this.#firstStart;
    }
    this.#publish();
  }

  /**
   * Leases the current endpoint if that needs no waiting. Undefined: `acquire` waits for one, or says why there is none. `tool`: the
   * one to call.
   */
  tryAcquire(tool?: AcquireOptions["tool"]): Lease | undefined {
    const { name } = this.#machine.state;
    const { lease } = this.#current;
    if ((name !== "ready" && name !== "slow") || !isUsablePhase(lease.endpoint.phase)) return undefined;
    if (tool && !this.#hasListed(tool) && this.#callsAwait !== "connection") return undefined;
    this.#isLearning = false;
    return lease.grant();
  }

  /**
   * Leases a usable endpoint: the current one, the one being started, or one started now. Rejects if there will be none, or
   * none in time: the caller's signal may have no deadline.
   */
  async acquire({ signal, caller, tool }: AcquireOptions = {}): Promise<Lease> {
    const server = this.config.id;
    // Created by the first wait: most calls find the server ready.
    let patience: StartPatience | undefined;
    for (;;) {
      signal?.throwIfAborted();
      const { state } = this.#machine;
      const refusal = refusalIn(state, server, this.#rules.breaker);
      if (refusal) throw refusal;
      const { lease } = this.#current;
      if (isUsablePhase(lease.endpoint.phase) && state.name !== "silent") {
        this.#isLearning = false;
        if (!tool || this.#mayCall(tool)) return lease.grant();
      }
      const change = this.#wakeup.next();
      if (isAtRest(state)) void this.#start.run({ name: "starting" }, { isCalled: true });
      if (state.name === "queued") state.ticket.call();
      patience ??= new StartPatience({ ...this.#rules, server, machine: this.#machine, signal, caller });
      this.#waiting += 1;
      try {
        await patience.until(change);
      } finally {
        this.#waiting -= 1;
      }
    }
  }

  get #callsAwait(): "connection" | "listing" | "review" {
    const { review } = this.#options;
    return review ? (review.by.callsAwait?.(this.config) ?? "listing") : "connection";
  }

  /** Whether the current endpoint has listed the tools that the tool is one of; undefined until it has been asked. */
  #hasListed({ extensions = "" }: CalledTool): boolean | undefined {
    if (this.#asked?.endpoint !== this.endpoint) return undefined;
    // A server that does not list its tools is not asked for other lists of them.
    const { lists } = this.#asked;
    return lists.get("") === false ? false : lists.get(extensions);
  }

  /** Whether the tool can be called on the current endpoint; if not, the call waits. Throws if it is withheld. */
  #mayCall(called: CalledTool): boolean {
    const needed = this.#callsAwait;
    if (needed === "connection") return true;
    const hasListed = this.#hasListed(called);
    if (hasListed === undefined) return false;
    const server = this.config.id;
    if (needed === "review" && !hasListed) throw notReviewed(server);
    const { name, extensions = "" } = called;
    const withheld = this.withheld(extensions).find(({ tool }) => tool.ref.name === name);
    if (!withheld) return true;
    throw new ProtocolFault("tool_error", withheld.message, { server, reason: "policy", retrySafe: true });
  }

  /** Ends the current endpoint, forgets all failures and starts a new endpoint. Does nothing if disabled or stopped. */
  async restart(): Promise<void> {
    if (!this.#machine.can("queued")) return;
    this.#history.forgive();
    const retire = this.#current.retirement();
    const reopened = this.#reopen({ name: "restarting", fault: faultOf(this.#machine.state) });
    retire();
    await reopened;
  }

  /** Ends the server for good; running calls may finish within `drainMs`. Never rejects. */
  stop(drainMs = 0): Promise<void> {
    if (drainMs <= 0) this.#hurry.abort();
    const { state } = this.#machine;
    if (state.name === "stopping") return state.done;
    if (state.name === "stopped") return Promise.resolve();
    this.#start.interrupted();
    const done = Promise.resolve().then(() => this.#shutDown(drainMs));
    this.#machine.move({ name: "stopping", done });
    this.#wakeup.wake();
    return done;
  }

  /** No tool is known because listing fails. If it were stopped, no call would ever start it again. */
  get #isUnlisted(): boolean {
    return this.#tools.offered.length === 0 && this.endpoint.status().listFailure !== undefined;
  }

  async #reopen(to: OpeningState): Promise<void> {
    this.#report.restarts++;
    await this.#start.run(to);
  }

  async #connected(): Promise<void> {
    this.#history.started();
    const left = this.#machine.move({ name: "ready" });
    this.feed.connected(this.endpoint);
    this.#publish();
    const { endpoint } = this;
    // If the listing fails, the status notes it, and the tools known before stay until the endpoint's next try.
    const listed = await endpoint.listTools().catch(() => undefined);
    if (left.aborted) return;
    this.#tools.offer(listed, this.#current.version);
    this.#asked = { endpoint, lists: new Map([["", listed !== undefined]]) };
    this.#publish();
    this.#watch.begin(left);
    if (!listed) return;
    const classes = this.#listClasses(this.#tools.classes);
    // A server that was started to learn its tools learns all lists.
    const remembered = this.#isLearning ? classes.then(() => this.#remembered()) : this.#remembered();
    await Promise.all([remembered, settlesWithin(classes, CLASSES_MS)]);
  }

  #listed({ tools, extensions }: ToolListing): void {
    if (!isConnectedState(this.#machine.state)) return;
    const classes = extensions === undefined ? [] : this.#classesOf(extensions);
    const lists =
      extensions === undefined ? [this.#tools] : classes.map((each) => this.#tools.forClass(each));
    for (const list of lists) list.offer(tools, this.#current.version, extensions);
    if (this.#asked?.endpoint === this.endpoint)
      for (const each of extensions === undefined ? [""] : classes) this.#asked.lists.set(each, true);
    this.#publish();
    void this.#remembered(extensions);
  }

  /** Those whose extensions the server sees as these. */
  #classesOf(extensions: ExtensionKey): readonly ExtensionKey[] {
    return this.#tools.classes.filter((each) => this.endpoint.listedFor(each) === extensions);
  }

  /** Never rejects: the endpoint tries again, and reports what it lists. */
  async #listClasses(classes: readonly ExtensionKey[]): Promise<void> {
    if (classes.length === 0) return;
    const { endpoint } = this;
    await this.#current.lease.during(async () => {
      const listings = classes.map(async (extensions) => {
        const list = this.#tools.forClass(extensions);
        const declared = endpoint.listedFor(extensions);
        const listed =
          declared === "" ? undefined : await endpoint.listing(extensions).catch(() => undefined);
        if (endpoint !== this.endpoint) return;
        if (declared === "") list.forget();
        // Unless it was reported: others with the same extensions, as the server sees them, have it already.
        else if (listed && !list.areListed) list.offer(listed.tools, this.#current.version, declared);
        if (this.#asked?.endpoint === endpoint)
          this.#asked.lists.set(extensions, listed !== undefined || declared === "");
        this.#wakeup.wake();
      });
      await Promise.allSettled(listings);
    });
  }

  /** Reports a good listing. If the server was started only for that, it is stopped afterwards, unless a call uses it by then. */
  async #remembered(extensions?: ExtensionKey): Promise<void> {
    // With a short idle time it would be stopped before everything is listed.
    const reported = this.#current.lease.during(async (endpoint) =>
      this.#options.onListed?.(endpoint, extensions),
    );
    if (!this.#isLearning) return;
    await reported;
    if (this.#isLearning && this.#machine.can("dormant")) this.#rest();
  }

  #ended(fault: ProtocolFault | undefined): void {
    // The end of an endpoint that was given up already, or is being stopped, changes nothing.
    if (!this.#machine.can("closed")) return;
    if (fault) this.#afterFailure.failed(fault);
    else this.#machine.move({ name: "closed" });
    this.#publish();
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
    this.#current.retirement()();
    this.#afterFailure.failed(fault);
    this.#publish();
  }

  async #shutDown(drainMs: number): Promise<void> {
    await this.#current.lease.drained(drainMs, this.#hurry.signal);
    await this.#current.closeAll();
    this.#machine.move({ name: "stopped" });
    this.#report.forget(); // Send the last report even if it repeats the one before.
    this.#publish();
  }

  #publish(): void {
    this.#wakeup.wake();
    this.#report.publish();
  }
}
