import type { EndpointStatus } from "../../contract/index.ts";

/**
 * Whether the items of a server are offered: `live`, its lists can be asked for; `later`, it is not running now, and its last
 * known lists stay in use; `none`, its calls are refused, so nothing of it is offered.
 */
export type Availability = "live" | "later" | "none";

export function availabilityOf({ phase, state }: EndpointStatus): Availability {
  switch (state) {
    case "tripped":
    case "needs_login":
    case "untrusted":
    case "disabled":
      return "none";
    case "dormant":
    case "queued":
    case "installing":
    case "restarting":
      return "later";
    case "slow":
    case undefined:
      if (phase === "ready") return "live";
      return phase === "faulted" ? "none" : "later";
    default:
      return state satisfies never; // A new state must decide.
  }
}
