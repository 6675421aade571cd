import { CoreError, describeError } from "../../core/index.ts";
import { definedMembers, redactText } from "../../core/internal.ts";
import { type FaultKind, isProtocolFault, type ProtocolFault } from "../../interop/index.ts";
import { RpcCode } from "../../interop/wire/index.ts";
import { isMCPError, MCPError, type MCPErrorCode } from "./mcp-error.ts";
import { redact } from "./redact.ts";

/** Where an error was thrown. */
export interface ErrorPlace {
  readonly site: ErrorSite;
  readonly serverName?: string;
  readonly toolName?: string;
  /** The caller's own signal: its reason is never translated. */
  readonly signal?: AbortSignal | undefined;
  /** Values that must not appear in the error, e.g. those of the server's headers and environment. */
  readonly secrets?: readonly string[];
}

/**
 * Converts anything that was thrown to an `MCPError`, with the original as its cause. Returns an abort unchanged,
 * because it is not a failure, and an `MCPError` unchanged.
 */
export function translateError(thrown: unknown, place: ErrorPlace): unknown {
  if (isMCPError(thrown) || isAbort(thrown, place.signal)) return thrown;
  const code = codeOf(failureOf(thrown, place.site));
  const message = [
    redactText(describeError(thrown), place.secrets),
    missingNames(thrown, place),
    REMEDY[code],
  ];
  return new MCPError(message.join(""), code, detailsOf(thrown, place.secrets), { ...place, cause: thrown });
}

/** A problem that the reader of a configuration file reported. */
interface ConfigProblem {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Converts a problem of a configuration to an error. The file and line are in the message and in the details. */
export function translateConfigProblem(problem: ConfigProblem): MCPError {
  const { message, file, line, column } = problem;
  const at = [file ?? [], line ?? []].flat().join(":");
  const details = definedMembers({ file, line, column });
  return new MCPError(redactText(at === "" ? message : `${at}: ${message}`), "CONFIG_ERROR", details);
}

/** What the user can do, added to the message of the fault. */
const REMEDY: { readonly [code in MCPErrorCode]?: string } = {
  NOT_CONNECTED: "; call connect() first",
  SESSION_ERROR: "; call connect() again to start a new session",
  TIMEOUT: "; set a longer timeout",
  TOOL_NOT_FOUND: "; listTools() returns the existing ones",
  RESOURCE_NOT_FOUND: "; listResources() returns the existing ones",
  PROMPT_NOT_FOUND: "; listPrompts() returns the existing ones",
};

function isAbort(thrown: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted && thrown === signal.reason) return true;
  return thrown instanceof Error && thrown.name === "AbortError";
}

function failureOf(thrown: unknown, site: ErrorSite): Failure {
  if (isProtocolFault(thrown)) {
    return { site, kind: thrown.kind, reason: thrown.reason, rpc: thrown.rpc?.code };
  }
  // The error of `AbortSignal.timeout`. The caller's own signal was handled before.
  if (thrown instanceof Error && thrown.name === "TimeoutError") return { site, kind: "deadline" };
  return { site, kind: CoreError.is(thrown) && thrown.name === "ConfigError" ? "config" : "other" };
}

/** Names the tool and the server if the original message does not. */
function missingNames(thrown: unknown, { serverName, toolName }: ErrorPlace): string {
  const message = describeError(thrown);
  const missing = [
    toolName === undefined || message.includes(`"${toolName}"`) ? [] : [`tool "${toolName}"`],
    serverName === undefined || message.includes(`"${serverName}"`) ? [] : [`server "${serverName}"`],
  ].flat();
  return missing.length > 0 ? ` (${missing.join(" of ")})` : "";
}

function detailsOf(thrown: unknown, secrets: readonly string[] | undefined): unknown {
  if (isProtocolFault(thrown)) return redact(factsOf(thrown), secrets);
  return CoreError.is(thrown) ? { kind: thrown.kind } : undefined;
}

function factsOf({ kind, details }: ProtocolFault): object {
  const { reason, retrySafe = false, status, rpc, exit, stderr } = details;
  return definedMembers({ kind, retrySafe, reason, status, rpc, exit, stderr });
}

/** The operation that failed. */
export type ErrorSite = "connect" | "list" | "call" | "resource" | "prompt" | "request" | "config";

/** The properties of a failure that decide its code. The text of its message is not one of them. */
interface Failure {
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
