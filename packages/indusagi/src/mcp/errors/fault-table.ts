import type { FaultKind } from "../../interop/index.ts";
import { RpcCode } from "../../interop/wire/index.ts";
import type { MCPErrorCode } from "./mcp-error-code.ts";

/** What was being done when something went wrong. */
export type ErrorSite = "connect" | "list" | "call" | "resource" | "prompt" | "request" | "config";

/** Something that went wrong, reduced to what decides its code. Never the words of a message. */
export interface Trouble {
  readonly site: ErrorSite;
  /** A fault's kind; `deadline` and `config` for what is told by its type; `other` for whatever else was thrown. */
  readonly kind: FaultKind | "deadline" | "config" | "other";
  readonly reason?: string | undefined;
  /** The code of the server's JSON-RPC error. */
  readonly rpc?: number | undefined;
}

interface Row extends Partial<Trouble> {
  readonly code: MCPErrorCode;
}

/** The one table from troubles to codes. The first row that agrees in all it names decides; the last names nothing. */
const TABLE: readonly Row[] = [
  { kind: "config", code: "CONFIG_ERROR" },
  { site: "config", code: "CONFIG_ERROR" },
  { reason: "session_lost", code: "SESSION_ERROR" },
  { kind: "not_connected", code: "NOT_CONNECTED" },
  { kind: "timeout", code: "TIMEOUT" },
  { kind: "deadline", code: "TIMEOUT" },
  { kind: "spawn_failed", code: "CONNECTION_FAILED" },
  { site: "connect", code: "CONNECTION_FAILED" },
  { reason: "unknown_tool", code: "TOOL_NOT_FOUND" },
  { site: "resource", rpc: RpcCode.RESOURCE_NOT_FOUND, code: "RESOURCE_NOT_FOUND" },
  // Since 2026-07-28 there is no code of its own for it, and a read has nothing but the address that could be wrong.
  { site: "resource", rpc: RpcCode.INVALID_PARAMS, code: "RESOURCE_NOT_FOUND" },
  { site: "prompt", rpc: RpcCode.RESOURCE_NOT_FOUND, code: "PROMPT_NOT_FOUND" },
  { rpc: RpcCode.INVALID_PARAMS, code: "INVALID_PARAMETERS" },
  { kind: "transport", code: "TRANSPORT_ERROR" },
  { kind: "protocol", code: "PROTOCOL_ERROR" },
  { code: "SERVER_ERROR" },
];

/** The code of a trouble. */
export function codeOf(trouble: Trouble): MCPErrorCode {
  const row = TABLE.find(
    ({ site, kind, reason, rpc }) =>
      (site === undefined || site === trouble.site) &&
      (kind === undefined || kind === trouble.kind) &&
      (reason === undefined || reason === trouble.reason) &&
      (rpc === undefined || rpc === trouble.rpc),
  );
  return row?.code ?? "SERVER_ERROR";
}
