import type { ToolBox } from "../../../runtime/index.ts";
import type { HostClient } from "../../contract/index.ts";
import type { JsonBudget } from "./json-budget.ts";

/** What is known about a client before its first message: its connection and its principal. */
export interface HostPeer {
  readonly era: HostClient["era"];
  /** The connection or session. Without one, each request is independent. */
  readonly session?: string;
  readonly principal?: string;
  /** The listener, if questions wait for the client to return to it. */
  readonly listener?: string;
  /** The attribution key of a request without a session and without a principal. */
  readonly request?: string;
  /** The tools chosen for this peer, if they were chosen before it connected. */
  readonly box?: ToolBox;
  /** True if one connection carries many requests and gets change notifications. */
  readonly isConnection: boolean;
  /**
   * Counts a call that starts. Returns a function that ends it, or nothing if there are too many calls. Absent: calls
   * are not counted.
   */
  readonly begin?: () => (() => void) | undefined;
  /** The budget that each message was already checked against. */
  readonly measured?: JsonBudget;
  /** How long a request may keep its stream, if the client can return for its answer. */
  readonly pollAfterMs?: number;
}
