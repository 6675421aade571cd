import { CoreError, describeError } from "../../core/index.ts";
import { isProtocolFault, type ProtocolFault } from "../../interop/index.ts";
import { codeOf, type ErrorSite, type Trouble } from "./fault-table.ts";
import { isMCPError, MCPError } from "./mcp-error.ts";
import type { MCPErrorCode } from "./mcp-error-code.ts";
import { redact } from "./redact.ts";
import { redactText } from "./redact-text.ts";

/** Where something was thrown. */
export interface ErrorPlace {
  readonly site: ErrorSite;
  readonly serverName?: string;
  readonly toolName?: string;
  /** The caller's own signal: its reason is never translated. */
  readonly signal?: AbortSignal | undefined;
  /** Values that must not be seen in the error, e.g. those of the server's headers and environment. */
  readonly secrets?: readonly string[];
}

/**
 * Whatever was thrown, in the facade's words, to be thrown again: an `MCPError` with the cause kept. An abort comes
 * back as it was, because it is no failure, and so does an `MCPError`.
 */
export function translateError(thrown: unknown, place: ErrorPlace): unknown {
  if (isMCPError(thrown) || isAbort(thrown, place.signal)) return thrown;
  const code = codeOf(troubleOf(thrown, place.site));
  const message = [redactText(describeError(thrown), place.secrets), whoseTool(thrown, place), WAY_OUT[code]];
  return new MCPError(message.join(""), code, detailsOf(thrown, place.secrets), { ...place, cause: thrown });
}

/** What a configuration file's reader says about a row or a file. */
export interface ConfigProblem {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** A problem of a configuration as an error: its file and line are in the message and in the details. */
export function translateConfigProblem(problem: ConfigProblem): MCPError {
  const { message, file, line, column } = problem;
  const at = [file ?? [], line ?? []].flat().join(":");
  return new MCPError(redactText(at === "" ? message : `${at}: ${message}`), "CONFIG_ERROR", {
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  });
}

/** What to do about it, where the message of the fault does not say so itself. */
const WAY_OUT: { readonly [code in MCPErrorCode]?: string } = {
  NOT_CONNECTED: "; call connect() first",
  SESSION_ERROR: "; connect() again starts a new session",
  TIMEOUT: "; a longer timeout can be set",
  TOOL_NOT_FOUND: "; listTools() shows what there is",
  RESOURCE_NOT_FOUND: "; listResources() shows what there is",
  PROMPT_NOT_FOUND: "; listPrompts() shows what there is",
};

function isAbort(thrown: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted && thrown === signal.reason) return true;
  return thrown instanceof Error && thrown.name === "AbortError";
}

function troubleOf(thrown: unknown, site: ErrorSite): Trouble {
  if (isProtocolFault(thrown)) {
    return { site, kind: thrown.kind, reason: thrown.reason, rpc: thrown.rpc?.code };
  }
  // A signal made by `AbortSignal.timeout` gives this error; the caller's own has been let through already.
  if (thrown instanceof Error && thrown.name === "TimeoutError") return { site, kind: "deadline" };
  return { site, kind: CoreError.is(thrown) && thrown.name === "ConfigError" ? "config" : "other" };
}

/** Names what the message of the one who threw does not name. */
function whoseTool(thrown: unknown, { serverName, toolName }: ErrorPlace): string {
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
  return {
    kind,
    retrySafe,
    ...(reason === undefined ? {} : { reason }),
    ...(status === undefined ? {} : { status }),
    ...(rpc === undefined ? {} : { rpc }),
    ...(exit === undefined ? {} : { exit }),
    ...(stderr === undefined ? {} : { stderr }),
  };
}
