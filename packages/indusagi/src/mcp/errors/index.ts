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
export type { ErrorSite } from "./fault-table.ts";
export {
  isMCPError,
  isSessionError,
  MCPError,
  type MCPErrorContext,
  type MCPErrorJson,
} from "./mcp-error.ts";
export { MCPErrorCode } from "./mcp-error-code.ts";
export {
  type ErrorPlace,
  translateConfigProblem,
  translateError,
} from "./translate-error.ts";
