const CODES = [
  "CONNECTION_FAILED",
  "TIMEOUT",
  "TOOL_NOT_FOUND",
  "INVALID_PARAMETERS",
  "SERVER_ERROR",
  "TRANSPORT_ERROR",
  "NOT_CONNECTED",
  "PROTOCOL_ERROR",
  "CONFIG_ERROR",
  "SCHEMA_CONVERSION_ERROR",
  "RESOURCE_NOT_FOUND",
  "PROMPT_NOT_FOUND",
  "SESSION_ERROR",
] as const;

/** The kind of an error, for programs. One of thirteen. */
export type MCPErrorCode = (typeof CODES)[number];

/** The codes by name: `MCPErrorCode.TIMEOUT` is `"TIMEOUT"`. */
export const MCPErrorCode: { readonly [Code in MCPErrorCode]: Code } = Object.freeze(
  Object.fromEntries(CODES.map((code) => [code, code])) as { [Code in MCPErrorCode]: Code },
);
