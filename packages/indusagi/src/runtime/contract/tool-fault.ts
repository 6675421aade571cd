/**
 * Why no tool answered. A closed set, decided by where it happened, never by the text of a message:
 *
 * - `transport`: the connection could not be made, or was lost
 * - `protocol`: the peer's answer had the wrong shape
 * - `timeout`: a deadline passed
 * - `tool_error`: the peer refused the call, or there is nothing of that name to call
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

/** The finer causes this project itself gives; others may add their own words. */
export type ToolFaultReason = "unknown_tool" | "aborted" | "policy" | "auth" | "session_lost" | "unsupported";

/** A JSON-RPC error exactly as the peer sent it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A call that ended without any tool's answer. */
export interface ToolFault {
  readonly kind: ToolFaultKind;
  /** A finer cause within the kind. */
  readonly reason?: ToolFaultReason | (string & {});
  /** True only when the request certainly did not run: repeating it cannot do anything twice. */
  readonly retrySafe: boolean;
  /** The server that failed, where one was involved. */
  readonly server?: string;
  /** The peer's own error, code and data kept. */
  readonly rpc?: RpcError;
}
