/** Where an endpoint is in its one life. */
export type EndpointPhase = "idle" | "connecting" | "ready" | "closing" | "closed" | "faulted";

/** Calls are possible. */
export function isUsablePhase(phase: EndpointPhase): boolean {
  return phase === "ready";
}

/** Nothing can come after. */
export function isTerminalPhase(phase: EndpointPhase): boolean {
  return phase === "closed" || phase === "faulted";
}

/** Which phase may follow which. Every step an endpoint takes is in this table. */
export const NEXT_PHASES: { readonly [phase in EndpointPhase]: readonly EndpointPhase[] } = {
  idle: ["connecting", "closed"],
  connecting: ["ready", "closing", "faulted"],
  ready: ["closing", "faulted"],
  closing: ["closed"],
  closed: [],
  faulted: [],
};
