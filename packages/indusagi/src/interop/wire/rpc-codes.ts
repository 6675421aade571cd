/** Error codes of JSON-RPC and of MCP. */
export const RpcCode = {
  PARSE_ERROR: -32_700,
  INVALID_REQUEST: -32_600,
  METHOD_NOT_FOUND: -32_601,
  INVALID_PARAMS: -32_602,
  INTERNAL_ERROR: -32_603,
  /** The request is refused for a reason that has no code of its own, such as a limit. */
  REFUSED: -32_000,
  SESSION_NOT_FOUND: -32_001,
  RESOURCE_NOT_FOUND: -32_002,
  /** A header contradicts the message it came with. */
  HEADER_MISMATCH: -32_020,
  /** The client did not declare a capability that the request needs. */
  MISSING_CAPABILITY: -32_021,
  /** The user declined a question of the server. */
  USER_DECLINED: -1,
} as const;
