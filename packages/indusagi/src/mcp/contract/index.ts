export type {
  AgentTool,
  AgentToolMeta,
  AgentToolRegistry,
  AgentToolResult,
  MCPServerOptions,
} from "./agent-tool.ts";
export type {
  BaseServerOptions,
  InitializedMCP,
  MCPClientOptions,
  MCPClientPoolOptions,
  MCPClientState,
  MCPInitializeResult,
  MCPRoot,
  MCPServerStatus,
} from "./client.ts";
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
  MCPConfigFile,
  MCPConnectionOptions,
  MCPServerConfig,
  MCPServerConfigEntry,
  StdioServerConfig,
} from "./server-config.ts";
export type {
  MCPCallOptions,
  MCPToolCallRequest,
  MCPToolCallResult,
  MCPToolClient,
  MCPToolDefinition,
} from "./tool.ts";
