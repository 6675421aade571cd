export type { AgentTool, AgentToolMeta, AgentToolRegistry, AgentToolResult } from "./agent-tool.ts";
export type {
  BaseServerOptions,
  MCPClientOptions,
  MCPClientState,
  MCPInitializeResult,
  MCPQuestionHandlers,
  MCPRoot,
} from "./client.ts";
export type { MCPConfigFile, MCPServerConfigEntry } from "./config-file.ts";
export type {
  MCPContentBlock,
  MCPMediaBlock,
  MCPResourceBlock,
  MCPResourceContents,
  MCPResourceLinkBlock,
  MCPTextBlock,
} from "./content.ts";
export type { MCPElicitationHandler, MCPElicitRequest, MCPElicitResult } from "./elicitation.ts";
export type { MCPLoggingLevel, MCPLogHandler, MCPLogMessage } from "./logging.ts";
export type { InitializedMCP, MCPClientPoolOptions, MCPServerStatus } from "./pool.ts";
export type { MCPProgressHandler, MCPProgressNotification } from "./progress.ts";
export type {
  MCPCompletion,
  MCPCompletionRequest,
  MCPPrompt,
  MCPPromptArgument,
  MCPPromptResult,
} from "./prompt.ts";
export type {
  MCPListChangedHandler,
  MCPResource,
  MCPResourceResult,
  MCPResourceTemplate,
  MCPResourceUpdatedHandler,
} from "./resource.ts";
export type { MCPSamplingHandler, MCPSamplingRequest, MCPSamplingResult } from "./sampling.ts";
export type { MCPServerOptions } from "./server.ts";
export type {
  HttpServerConfig,
  MCPAuthProvider,
  MCPConnectionOptions,
  MCPServerConfig,
  StdioServerConfig,
} from "./server-config.ts";
export type {
  MCPCallOptions,
  MCPToolCallRequest,
  MCPToolCallResult,
  MCPToolClient,
  MCPToolDefinition,
} from "./tool.ts";
