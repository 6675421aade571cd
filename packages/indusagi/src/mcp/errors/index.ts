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
  MCPErrorCode,
  type MCPErrorContext,
  type MCPErrorJson,
} from "./mcp-error.ts";
export type { ErrorSite } from "./translate-error.ts";
export {
  type ErrorPlace,
  translateConfigProblem,
  translateError,
} from "./translate-error.ts";
