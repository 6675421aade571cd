import { escapeForDisplay } from "../../core/index.ts";
import type { EndpointStatus, ProtocolFault, ServerState } from "../contract/index.ts";
import { explainFault } from "./explain-fault.ts";
import { SWITCHED_OFF } from "./refusals.ts";

/** What a supervisor knows beyond what the endpoint says of itself. */
export interface Circumstances {
  readonly state: ServerState | undefined;
  /** What is wrong, also with an earlier endpoint. */
  readonly fault: ProtocolFault | undefined;
  /** What was wrong the last time, also when all is well again. */
  readonly past: ProtocolFault | undefined;
  readonly restarts: number;
  readonly toolCount: number;
}

/** How a server is, told so that it explains itself. A server that is well has its past troubles among the notes. */
export function supervisorStatus(endpoint: EndpointStatus, known: Circumstances): EndpointStatus {
  const { state, restarts, toolCount, past } = known;
  const fault = endpoint.fault ?? known.fault;
  const stderrTail =
    endpoint.stderrTail ?? escapeForDisplay(fault?.details.stderr ?? "", { keepNewlines: true });
  const isOver = endpoint.phase === "ready" && restarts > 0 && past;
  const notes = [...(endpoint.notes ?? []), ...(isOver ? [pastNote(restarts, past)] : [])];
  return {
    server: endpoint.server,
    // Until it is well again it has failed, also while another start is under way: a status that flickers explains nothing.
    phase: fault && state ? "faulted" : endpoint.phase,
    toolCount,
    restarts,
    ...(fault ? { fault, summary: explainFault(fault) } : {}),
    ...(state === "disabled" ? { summary: `server "${endpoint.server}" ${SWITCHED_OFF}` } : {}),
    ...(state ? { state } : {}),
    ...(notes.length > 0 ? { notes } : {}),
    ...(stderrTail ? { stderrTail } : {}),
  };
}

function pastNote(restarts: number, fault: ProtocolFault): string {
  return `started again ${restarts === 1 ? "once" : `${restarts} times`}; the last trouble: ${explainFault(fault)}`;
}
