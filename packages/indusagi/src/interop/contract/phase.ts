/** The phase of an endpoint. */
export type EndpointPhase = "idle" | "connecting" | "ready" | "closing" | "closed" | "faulted";

/** True if calls are possible. */
export function isUsablePhase(phase: EndpointPhase): boolean {
  return phase === "ready";
}

/** True if no other phase can follow. */
export function isTerminalPhase(phase: EndpointPhase): boolean {
  return phase === "closed" || phase === "faulted";
}

/** Which phases may follow each phase. An endpoint makes no other transition. */
export const NEXT_PHASES: { readonly [phase in EndpointPhase]: readonly EndpointPhase[] } = {
  idle: ["connecting", "closed"],
  connecting: ["ready", "closing", "faulted"],
  ready: ["closing", "faulted"],
  closing: ["closed"],
  closed: [],
  faulted: [],
};
