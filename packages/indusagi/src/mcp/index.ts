export type { ObjectSchema } from "./adapters/named-tools.ts";
export type { AdapterOptions, DispatchOptions, ToolBoxSource, ToolSource } from "./adapters/run-call.ts";
export {
  type AiSdkModelOutput,
  type AiSdkSchema,
  type AiSdkTool,
  toAiSdkTools,
} from "./adapters/to-ai-sdk-tools.ts";
export {
  type AnthropicResultContent,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicTools,
  type AnthropicToolUse,
  toAnthropicTools,
} from "./adapters/to-anthropic-tools.ts";
export {
  type GeminiFunctionCall,
  type GeminiFunctionDeclaration,
  type GeminiFunctionResponsePart,
  type GeminiOptions,
  type GeminiTools,
  toGeminiTools,
} from "./adapters/to-gemini-tools.ts";
export {
  type LangChainConfig,
  type LangChainContent,
  type LangChainToolFields,
  toLangChainTools,
} from "./adapters/to-langchain-tools.ts";
export {
  type OpenAIChatTool,
  type OpenAIChatToolCall,
  type OpenAIChatTools,
  type OpenAIFunctionCall,
  type OpenAIFunctionCallOutput,
  type OpenAIOptions,
  type OpenAIOutputPart,
  type OpenAIResponsesTool,
  type OpenAIResponsesTools,
  type OpenAIToolMessage,
  toOpenAITools,
} from "./adapters/to-openai-tools.ts";
export { MCPClient } from "./client/index.ts";
export { type LoadMCPConfigOptions, loadMCPConfig } from "./config-file/load-mcp-config.ts";
export {
  createDefaultConfig,
  EXAMPLE_CONFIG,
  ensureProjectConfigDir,
  ensureUserConfigDir,
  getProjectConfigPath,
  getUserConfigPath,
  saveConfig,
  saveProjectConfig,
  saveUserConfig,
} from "./config-file/save-config.ts";
export type {
  AgentTool,
  AgentToolMeta,
  AgentToolRegistry,
  AgentToolResult,
  BaseServerOptions,
  HttpServerConfig,
  MCPAuthProvider,
  MCPCallOptions,
  MCPClientOptions,
  MCPClientPoolOptions,
  MCPClientState,
  MCPCompletion,
  MCPCompletionRequest,
  MCPConfigFile,
  MCPConnectionOptions,
  MCPContentBlock,
  MCPElicitationHandler,
  MCPElicitRequest,
  MCPElicitResult,
  MCPInitializeResult,
  MCPListChangedHandler,
  MCPLoggingLevel,
  MCPLogHandler,
  MCPLogMessage,
  MCPMediaBlock,
  MCPProgressHandler,
  MCPProgressNotification,
  MCPPrompt,
  MCPPromptArgument,
  MCPPromptResult,
  MCPQuestionHandlers,
  MCPResource,
  MCPResourceBlock,
  MCPResourceContents,
  MCPResourceLinkBlock,
  MCPResourceResult,
  MCPResourceTemplate,
  MCPResourceUpdatedHandler,
  MCPRoot,
  MCPSamplingHandler,
  MCPSamplingRequest,
  MCPSamplingResult,
  MCPServerConfig,
  MCPServerConfigEntry,
  MCPServerOptions,
  MCPServerStatus,
  MCPTextBlock,
  MCPToolCallRequest,
  MCPToolCallResult,
  MCPToolClient,
  MCPToolDefinition,
  StdioServerConfig,
} from "./contract/index.ts";
export {
  createConfigError,
  createConnectionError,
  createInvalidParametersError,
  createNotConnectedError,
  createSchemaConversionError,
  createServerError,
  createTimeoutError,
  createToolNotFoundError,
  isMCPError,
  isSessionError,
  MCPError,
  MCPErrorCode,
  type MCPErrorContext,
  type MCPErrorJson,
} from "./errors/index.ts";
export { type InitializedMCP, type InitializeMCPOptions, initializeMCP } from "./initialize-mcp.ts";
export { MCPClientPool, type MCPSupervisedPoolOptions } from "./pool/mcp-client-pool.ts";
export {
  applyPassthrough,
  convertMCPInputSchema,
  convertMCPOutputSchema,
} from "./schema/convert-mcp-schema.ts";
export { jsonSchemaToTypeBox } from "./schema/json-schema-to-type-box.ts";
export { createMCPServer, MCPServer } from "./server/mcp-server.ts";
export {
  createMCPAgentToolFactory,
  createMCPToolsMap,
  createMCPToolsRecord,
  type MCPListingClient,
  type MintedToolDetails,
  type MintedToolFailure,
  registerMCPToolsInRegistry,
} from "./tools/create-mcp-agent-tool-factory.ts";
export { type FitContentOptions, fitContent, type PreviewSize } from "./tools/fit-content.ts";
export { mintedToolName } from "./tools/tool-names.ts";
