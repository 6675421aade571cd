import type { FaultKind } from "../../interop/index.ts";
import { RpcCode } from "../../interop/wire/index.ts";
import type { MCPErrorCode } from "./mcp-error.ts";

/** The operation that failed. */
export type ErrorSite = "connect" | "list" | "call" | "resource" | "prompt" | "request" | "config";

/** The properties of a failure that decide its code. The text of its message is not one of them. */
export interface Failure {
  readonly site: ErrorSite;
  /** The kind of a fault; `deadline` or `config` for errors recognized by their type; `other` for any other error. */
  readonly kind: FaultKind | "deadline" | "config" | "other";
  readonly reason?: string | undefined;
  /** The code of the server's JSON-RPC error. */
  readonly rpc?: number | undefined;
}

interface Row extends Partial<Failure> {
  readonly code: MCPErrorCode;
}

/** Maps failures to codes. The first row whose members all match decides; the last row matches everything. */
const TABLE: readonly Row[] = [
  { kind: "config", code: "CONFIG_ERROR" },
  { site: "config", code: "CONFIG_ERROR" },
  { site: "connect", reason: "unsupported", code: "CONFIG_ERROR" },
  { reason: "session_lost", code: "SESSION_ERROR" },
  { kind: "not_connected", code: "NOT_CONNECTED" },
  { kind: "timeout", code: "TIMEOUT" },
  { kind: "deadline", code: "TIMEOUT" },
  { kind: "spawn_failed", code: "CONNECTION_FAILED" },
  { site: "connect", code: "CONNECTION_FAILED" },
  { reason: "unknown_tool", code: "TOOL_NOT_FOUND" },
  { site: "resource", rpc: RpcCode.RESOURCE_NOT_FOUND, code: "RESOURCE_NOT_FOUND" },
  // Protocol 2026-07-28 has no separate code for this, and the URI is the only parameter that can be wrong.
  { site: "resource", rpc: RpcCode.INVALID_PARAMS, code: "RESOURCE_NOT_FOUND" },
  { site: "prompt", rpc: RpcCode.RESOURCE_NOT_FOUND, code: "PROMPT_NOT_FOUND" },
  { rpc: RpcCode.INVALID_PARAMS, code: "INVALID_PARAMETERS" },
  { kind: "transport", code: "TRANSPORT_ERROR" },
  { kind: "protocol", code: "PROTOCOL_ERROR" },
  { code: "SERVER_ERROR" },
];

export function codeOf(failure: Failure): MCPErrorCode {
  const row = TABLE.find(
    ({ site, kind, reason, rpc }) =>
      (site === undefined || site === failure.site) &&
      (kind === undefined || kind === failure.kind) &&
      (reason === undefined || reason === failure.reason) &&
      (rpc === undefined || rpc === failure.rpc),
  );
  return row?.code ?? "SERVER_ERROR";
}
