export {
  createConfigError,
  createConnectionError,
  createInvalidParametersError,
  createNotConnectedError,
  createSchemaConversionError,
  createServerError,
  createTimeoutError,
  createToolNotFoundError,
} from "./create-errors.ts";
export {
  isMCPError,
  isSessionError,
  MCPError,
  type MCPErrorContext,
  type MCPErrorJson,
} from "./mcp-error.ts";
export { MCPErrorCode } from "./mcp-error-code.ts";
export { redact } from "./redact.ts";
export { redactText } from "./redact-text.ts";
