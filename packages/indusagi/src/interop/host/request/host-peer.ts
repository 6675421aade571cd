import type { ToolBox } from "../../../runtime/index.ts";
import type { HostClient } from "../../contract/index.ts";
import type { JsonBudget } from "./json-budget.ts";

/** What is known of the other end before it has said anything: the connection it came by and who it was found to be. */
export interface HostPeer {
  readonly era: HostClient["era"];
  /** The connection or session, where there is one; without, every request stands for itself. */
  readonly session?: string;
  readonly principal?: string;
  /** The listener it came by, where questions wait for the client to come back to it. */
  readonly listener?: string;
  /** The attribution key of a request that has neither a session nor a principal. */
  readonly request?: string;
  /** The tools chosen for this peer, where that was done before it was connected. */
  readonly box?: ToolBox;
  /** One connection carries many requests, and is told of changes. */
  readonly isConnection: boolean;
  /** Counts a call that begins; returns its end, or nothing when there are too many. Absent: nobody counts. */
  readonly begin?: () => (() => void) | undefined;
  /** The budget that each message was already found to be within. */
  readonly measured?: JsonBudget;
  /** How long a request may keep the stream it came by, where the client can come back for its answer. */
  readonly pollAfterMs?: number;
}
