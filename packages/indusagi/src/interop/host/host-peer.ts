import type { HostClient } from "../contract/index.ts";

/** What is known of the other end before it has said anything: the connection it came by and who it was found to be. */
export interface HostPeer {
  readonly era: HostClient["era"];
  /** The connection or session, where there is one; without, every request stands for itself. */
  readonly session?: string;
  readonly principal?: string;
  /** One connection carries many requests, and is told of changes. */
  readonly isConnection: boolean;
  /** How long a request may keep the stream it came by, where the client can come back for its answer. */
  readonly pollAfterMs?: number;
}
