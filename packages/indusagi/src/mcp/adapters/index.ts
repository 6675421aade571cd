export type { ObjectSchema } from "./named-tools.ts";
export type { AdapterOptions, DispatchOptions } from "./run-call.ts";
export { type AiSdkModelOutput, type AiSdkSchema, type AiSdkTool, toAiSdkTools } from "./to-ai-sdk-tools.ts";
export {
  type AnthropicResultContent,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicTools,
  type AnthropicToolUse,
  toAnthropicTools,
} from "./to-anthropic-tools.ts";
export {
  type GeminiFunctionCall,
  type GeminiFunctionDeclaration,
  type GeminiFunctionResponsePart,
  type GeminiOptions,
  type GeminiTools,
  toGeminiTools,
} from "./to-gemini-tools.ts";
export {
  type LangChainConfig,
  type LangChainContent,
  type LangChainToolFields,
  toLangChainTools,
} from "./to-langchain-tools.ts";
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
} from "./to-openai-tools.ts";
export type { ToolBoxSource, ToolSource } from "./tool-source.ts";
