import { describeError, showDuration } from "../../core/index.ts";
import { redactText } from "../../core/internal.ts";
import { MCPError } from "./mcp-error.ts";

/** A server could not be reached or started. */
export function createConnectionError(serverName: string, cause?: unknown): MCPError {
  const why = cause === undefined ? "" : `: ${redactText(describeError(cause))}`;
  return new MCPError(`could not connect to server "${serverName}"${why}`, "CONNECTION_FAILED", undefined, {
    serverName,
    cause,
  });
}

/** An operation took longer than its timeout. */
export function createTimeoutError(operation: string, timeoutMs: number, serverName?: string): MCPError {
  return new MCPError(
    `${operation} did not finish within ${showDuration(timeoutMs)}${ofServer(serverName)}; set a longer timeout`,
    "TIMEOUT",
    { operation, timeoutMs },
    { serverName },
  );
}

/** The server has no tool with that name. */
export function createToolNotFoundError(toolName: string, serverName?: string): MCPError {
  return new MCPError(
    `there is no tool "${toolName}"${onServer(serverName)}; listTools() returns the existing ones`,
    "TOOL_NOT_FOUND",
    { toolName },
    { serverName, toolName },
  );
}

/** The arguments of a call do not fit the tool. `details` explains which and why. */
export function createInvalidParametersError(
  toolName: string,
  details: unknown,
  serverName?: string,
): MCPError {
  const why = typeof details === "string" ? `: ${details}` : "";
  return new MCPError(
    `tool "${toolName}"${onServer(serverName)} does not accept these arguments${why}`,
    "INVALID_PARAMETERS",
    details,
    { serverName, toolName },
  );
}

/** The server reported a failure. */
export function createServerError(message: string, details?: unknown, serverName?: string): MCPError {
  return new MCPError(message, "SERVER_ERROR", details, { serverName });
}

/** The client has no connection. */
export function createNotConnectedError(serverName?: string): MCPError {
  const what = serverName === undefined ? "the client" : `the client of server "${serverName}"`;
  return new MCPError(`${what} is not connected; call connect() first`, "NOT_CONNECTED", undefined, {
    serverName,
  });
}

/** A configuration is not usable. */
export function createConfigError(message: string, details?: unknown): MCPError {
  return new MCPError(message, "CONFIG_ERROR", details);
}

/** A tool's schema cannot be converted to parameters. */
export function createSchemaConversionError(
  toolName: string,
  details: unknown,
  serverName?: string,
): MCPError {
  const why = typeof details === "string" ? `: ${details}` : "";
  return new MCPError(
    `the schema of tool "${toolName}"${onServer(serverName)} could not be converted${why}`,
    "SCHEMA_CONVERSION_ERROR",
    details,
    { serverName, toolName },
  );
}

const onServer = (serverName?: string): string =>
  serverName === undefined ? "" : ` on server "${serverName}"`;

const ofServer = (serverName?: string): string =>
  serverName === undefined ? "" : ` (server "${serverName}")`;
