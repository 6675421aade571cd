import type { ProtocolFault } from "../contract/index.ts";
import type { StartTicket } from "./starts/start-queue.ts";

/**
 * The state of one supervised server, with the data that belongs to it. A new state needs an entry here and in
 * `NEXT_STATES`; the compiler then asks how the status shows it (`supervisor-status.ts`) and whether it refuses callers
 * (`refusals.ts`).
 */
export type SupervisorState =
  /** Switched off in its configuration: never started. */
  | { readonly name: "disabled" }
  /** It comes with a project and is not approved: never started. */
  | { readonly name: "untrusted"; readonly fault: ProtocolFault }
  /** Its configuration asks for something that is not supported: never started. */
  | { readonly name: "refused"; readonly fault: ProtocolFault }
  /** Not running. The next call starts it. */
  | { readonly name: "dormant" }
  /** Its endpoint was closed through its own handle. The next call starts a new one. */
  | { readonly name: "closed" }
  /** It waits for a slot to start. `next` is the state that follows. */
  | { readonly name: "queued"; readonly next: OpeningState; readonly ticket: StartTicket }
  | OpeningState
  | { readonly name: "ready" }
  /** It is alive, but calls passed their deadlines. Ends when a call is answered. */
  | { readonly name: "slow" }
  /** It answers neither calls nor probes. It is restarted once no call waits for it. */
  | { readonly name: "silent"; readonly fault: ProtocolFault }
  /** It failed. The next start follows after a delay. */
  | { readonly name: "waiting"; readonly fault: ProtocolFault }
  /** The breaker is open. One try follows after a long delay. */
  | { readonly name: "tripped"; readonly fault: ProtocolFault }
  /** It failed and is not started again: another start cannot help, or supervision is off. */
  | { readonly name: "failed"; readonly fault: ProtocolFault }
  /** It refused the login. */
  | { readonly name: "needs_login"; readonly fault: ProtocolFault }
  /** Its calls may finish, then it is closed. `done` resolves after that. */
  | { readonly name: "stopping"; readonly done: Promise<void> }
  | { readonly name: "stopped" };

/** The states in which an endpoint is being opened. */
export type OpeningState =
  /** The first start, or a start on demand, is under way. */
  | { readonly name: "starting" }
  /** A start that can install a package is under way. `isProbe`: the breaker is open, as in `probing`. */
  | { readonly name: "installing"; readonly fault: ProtocolFault | undefined; readonly isProbe: boolean }
  /** Another start is under way, after a failure or by request. */
  | { readonly name: "restarting"; readonly fault: ProtocolFault | undefined }
  /** The one try that an open breaker allows is under way. */
  | { readonly name: "probing"; readonly fault: ProtocolFault };

export type StateName = SupervisorState["name"];

/** The states a supervisor may begin in. */
export type InitialState = Extract<
  SupervisorState,
  { readonly name: "disabled" | "untrusted" | "refused" | "dormant" }
>;

/** What may follow when an opening or open endpoint ends. */
const ENDED = ["tripped", "failed", "needs_login", "closed"] as const;
/** What a caller may ask for at any time: a restart, which begins in the queue, or a stop. */
const ON_REQUEST = ["queued", "stopping"] as const;

/** Which state may follow which. The diagram in `docs/architecture.md` shows the same transitions. */
export const NEXT_STATES: { readonly [name in StateName]: readonly StateName[] } = {
  disabled: ["stopping"],
  untrusted: ["stopping"],
  refused: ["stopping"],
  dormant: [...ON_REQUEST],
  closed: [...ON_REQUEST],
  queued: ["starting", "installing", "restarting", "probing", ...ON_REQUEST],
  starting: ["ready", "waiting", ...ENDED, ...ON_REQUEST],
  installing: ["ready", "waiting", ...ENDED, ...ON_REQUEST],
  restarting: ["ready", "waiting", ...ENDED, ...ON_REQUEST],
  // Only a good start closes an open breaker, so a failed try leads back to `tripped`, never to `waiting`.
  probing: ["ready", ...ENDED, ...ON_REQUEST],
  ready: ["slow", "silent", "dormant", "waiting", ...ENDED, ...ON_REQUEST],
  slow: ["ready", "silent", "dormant", "waiting", ...ENDED, ...ON_REQUEST],
  silent: ["ready", "slow", "waiting", ...ENDED, ...ON_REQUEST],
  waiting: [...ON_REQUEST],
  tripped: [...ON_REQUEST],
  failed: [...ON_REQUEST],
  needs_login: [...ON_REQUEST],
  stopping: ["stopped"],
  stopped: [],
};

/** True if the server does not run, and the first call or `start` begins a start. */
export function isAtRest({ name }: SupervisorState): boolean {
  return name === "dormant" || name === "closed";
}

/** True if its configuration forbids starting it. */
export function isForbidden({ name }: SupervisorState): boolean {
  return name === "disabled" || name === "untrusted" || name === "refused";
}

/** True if its endpoint may list tools. */
export function isConnectedState({ name }: SupervisorState): boolean {
  return name === "ready" || name === "slow" || name === "silent";
}

/** Holds the state and makes every transition. */
export class StateMachine {
  #state: SupervisorState;
  #stay = new AbortController();

  constructor(initial: InitialState) {
    this.#state = initial;
  }

  get state(): SupervisorState {
    return this.#state;
  }

  can(name: StateName): boolean {
    return NEXT_STATES[this.#state.name].includes(name);
  }

  /** Returns a signal that aborts as soon as the new state is left: work that belongs to one state ends with it. */
  move(to: SupervisorState): AbortSignal {
    if (!this.can(to.name))
      throw new Error(`a supervisor cannot move from ${this.#state.name} to ${to.name}`);
    const left = this.#stay;
    this.#state = to;
    this.#stay = new AbortController();
    left.abort();
    return this.#stay.signal;
  }
}

/** Lets many callers wait for the next change of any kind. Each then checks whether it is the one it needs. */
export class Wakeup {
  readonly #waiting = new Set<() => void>();

  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

export function isOpeningState(state: SupervisorState): state is OpeningState {
  return ["starting", "installing", "restarting", "probing"].includes(state.name);
}

/** True if the start under way is the one try that an open breaker allows. */
export function isProbe(state: SupervisorState): boolean {
  return state.name === "probing" || (state.name === "installing" && state.isProbe);
}

/** The fault that explains why a server is in a state. */
export function faultOf(state: SupervisorState): ProtocolFault | undefined {
  if (state.name === "queued") return faultOf(state.next);
  return "fault" in state ? state.fault : undefined;
}
