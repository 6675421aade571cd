/**
 * Why no tool answered. A closed set, decided by where the failure happened, never by the text of a message:
 *
 * - `transport`: the connection could not be opened, or was lost
 * - `protocol`: the peer's answer had the wrong shape
 * - `timeout`: a deadline passed
 * - `tool_error`: the peer rejected the call, or the tool does not exist
 * - `not_connected`: the connection was not usable when the call began
 * - `spawn_failed`: the server process could not be started
 */
export type ToolFaultKind =
  | "transport"
  | "protocol"
  | "timeout"
  | "tool_error"
  | "not_connected"
  | "spawn_failed";

/** The more specific causes that this project uses. Other code may add its own. */
export type ToolFaultReason = "unknown_tool" | "aborted" | "policy" | "auth" | "session_lost" | "unsupported";

/** A JSON-RPC error exactly as the peer sent it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Describes a call that ended without a tool's answer. */
export interface ToolFault {
  readonly kind: ToolFaultKind;
  /** A more specific cause within the kind. */
  readonly reason?: ToolFaultReason | (string & {});
  /** True only if the request certainly did not run, so repeating it is safe. */
  readonly retrySafe: boolean;
  /** The id of the server that failed, if a server was involved. */
  readonly server?: string;
  /** The peer's own error, with its code and data. */
  readonly rpc?: RpcError;
}
