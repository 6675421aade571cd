import type { LogEntry } from "../../runtime/index.ts";
import type { SessionNotification } from "./session.ts";

/** Something that a server reported outside of any call. */
export interface FleetNotification {
  readonly server: string;
  readonly notification: SessionNotification;
  /** The client that has this instance of the server for itself; absent for an instance that all clients share. */
  readonly client?: string;
}

/**
 * Who may see what a server wrote outside of any call: all clients as long as none has used the connection, the only
 * client that has used it, or no client if several have.
 */
export type Audience = { readonly kind: "all" | "none" } | { readonly kind: "client"; readonly key: string };

/** A log message that belongs to no running call. */
export interface FleetLog {
  readonly server: string;
  readonly entry: LogEntry;
  readonly audience: Audience;
}
