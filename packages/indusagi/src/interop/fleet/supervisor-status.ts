import type {
  EndpointStatus,
  ProtocolFault,
  ServerEndpoint,
  ServerState,
  WithheldTool,
} from "../contract/index.ts";
import { shownStderr } from "../endpoint/index.ts";
import type { FailureHistory } from "./failures/restart-policy.ts";
import { explainFault, retryOutlook } from "./failures/retry-outlook.ts";
import type { LastKnownTools } from "./last-known-tools.ts";
import { DISABLED, SLOW, startDelay } from "./refusals.ts";
import { faultOf, type StateMachine, type StateName, type SupervisorState } from "./supervisor-state.ts";

/** What the status shows for each state. Where it shows nothing, the phase is enough. */
const SHOWN: { readonly [name in StateName]: ServerState | undefined } = {
  disabled: "disabled",
  untrusted: "untrusted",
  refused: undefined,
  dormant: "dormant",
  closed: undefined,
  queued: "queued",
  starting: undefined,
  installing: "installing",
  restarting: "restarting",
  probing: "tripped",
  ready: undefined,
  slow: "slow",
  silent: "restarting",
  waiting: "restarting",
  tripped: "tripped",
  failed: undefined,
  needs_login: "needs_login",
  stopping: undefined,
  stopped: undefined,
};

/** What a supervisor knows beyond the endpoint's own status. */
interface SupervisorFacts {
  readonly state: SupervisorState;
  /** The last fault, even if the server is ready again. */
  readonly lastFault: ProtocolFault | undefined;
  readonly restarts: number;
  readonly toolCount: number;
  readonly withheld: readonly WithheldTool[];
  /** One line about the offered tools that clients do not get. */
  readonly leftOut: string | undefined;
}

/** The status of a server, with an explanation. A server that recovered has its last failure among the notes. */
function supervisorStatus(endpoint: EndpointStatus, facts: SupervisorFacts): EndpointStatus {
  const { restarts, toolCount, lastFault, withheld } = facts;
  const state = SHOWN[facts.state.name];
  const fault = endpoint.fault ?? faultOf(facts.state);
  const stderr = {
    ...shownStderr(fault?.details.stderr, fault?.details.stderrReason),
    ...(endpoint.stderrTail === undefined ? {} : { stderrTail: endpoint.stderrTail }),
  };
  const explained = explanationOf(facts.state, fault !== undefined);
  const hasRecovered = endpoint.phase === "ready" && restarts > 0 && lastFault;
  const notes = [
    ...(endpoint.notes ?? []),
    ...withheld.map(({ message }) => message),
    ...(hasRecovered ? [recoveryNote(restarts, lastFault)] : []),
  ];
  const leftOut = [...(endpoint.leftOut ?? []), ...(facts.leftOut === undefined ? [] : [facts.leftOut])];
  return {
    server: endpoint.server,
    // Stays `faulted` until a restart succeeds: a phase that changes with every retry explains nothing.
    phase: fault && (state || facts.state.name === "refused") ? "faulted" : endpoint.phase,
    toolCount,
    restarts,
    ...(endpoint.listFailure === undefined
      ? {}
      : {
          listFailure: endpoint.listFailure,
          summary: `${endpoint.listFailure}; ${LIST_REMEDY}`,
          remedy: LIST_REMEDY,
        }),
    ...(fault ? { fault, summary: explainFault(fault), remedy: retryOutlook(fault).remedy } : {}),
    ...(explained ? { summary: `server "${endpoint.server}" ${explained}` } : {}),
    ...(state ? { state } : {}),
    ...(notes.length > 0 ? { notes } : {}),
    ...(endpoint.rowNotes ? { rowNotes: endpoint.rowNotes } : {}),
    ...(leftOut.length > 0 ? { leftOut } : {}),
    ...stderr,
  };
}

/** Why a server is not ready although it did not fail, or is shown as slow. */
function explanationOf(state: SupervisorState, hasFailed: boolean): string | undefined {
  if (state.name === "disabled") return DISABLED;
  if (state.name === "slow") return SLOW;
  return hasFailed ? undefined : startDelay(state);
}

const LIST_REMEDY = "see the output of the server for the reason";

function recoveryNote(restarts: number, fault: ProtocolFault): string {
  return `restarted ${restarts === 1 ? "once" : `${restarts} times`}; last failure: ${explainFault(fault)}`;
}

export interface StatusReportOptions {
  readonly machine: StateMachine;
  readonly history: FailureHistory;
  readonly tools: LastKnownTools;
  /** The newest endpoint. */
  endpoint(): ServerEndpoint;
  /** Called when the status changed. */
  onStatus(status: EndpointStatus): void;
}

/** The status of one supervised server, and its listener. */
export class StatusReport {
  /** Starts after the first one. */
  restarts = 0;
  readonly #options: StatusReportOptions;
  #published = "";

  constructor(options: StatusReportOptions) {
    this.#options = options;
  }

  status(): EndpointStatus {
    const { machine, history, tools } = this.#options;
    return supervisorStatus(this.#options.endpoint().status(), {
      state: machine.state,
      lastFault: history.last,
      restarts: this.restarts,
      toolCount: tools.offered.length,
      withheld: tools.withheld,
      leftOut: tools.leftOut,
    });
  }

  /** Calls the listener if the status has changed. */
  publish(): void {
    const status = this.status();
    const { phase, state, toolCount, restarts, summary, rowNotes, leftOut } = status;
    const published = JSON.stringify([phase, state, toolCount, restarts, summary, rowNotes, leftOut]);
    if (published === this.#published) return;
    this.#published = published;
    this.#options.onStatus(status);
  }

  /** Publishes the next status even if it repeats the last one. */
  forget(): void {
    this.#published = "";
  }
}
