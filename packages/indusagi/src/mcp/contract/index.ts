export type {
  AgentTool,
  AgentToolMeta,
  AgentToolRegistry,
  AgentToolResult,
  MCPServerOptions,
} from "./agent-tool.ts";
export type {
  BaseServerOptions,
  MCPClientOptions,
  MCPClientState,
  MCPInitializeResult,
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
export type {
  MCPListChangedHandler,
  MCPLoggingLevel,
  MCPLogHandler,
  MCPLogMessage,
  MCPProgressHandler,
  MCPProgressNotification,
  MCPResourceUpdatedHandler,
} from "./notifications.ts";
export type { InitializedMCP, MCPClientPoolOptions, MCPServerStatus } from "./pool.ts";
export type {
  MCPCompletion,
  MCPCompletionRequest,
  MCPPrompt,
  MCPPromptArgument,
  MCPPromptResult,
} from "./prompt.ts";
export type {
  MCPElicitationHandler,
  MCPElicitRequest,
  MCPElicitResult,
  MCPQuestionHandlers,
  MCPSamplingHandler,
  MCPSamplingRequest,
  MCPSamplingResult,
} from "./questions.ts";
export type { MCPResource, MCPResourceResult, MCPResourceTemplate } from "./resource.ts";
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
