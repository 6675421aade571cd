export type { JsonObject, JsonSchema, JsonValue } from "./json.ts";
export type {
  AssistantMessage,
  ImagePart,
  JsonContentBlock,
  Message,
  ReasoningPart,
  TextContentBlock,
  TextPart,
  ToolCallPart,
  ToolContentBlock,
  ToolMessage,
  ToolResultPart,
  UserMessage,
  VendorData,
} from "./message.ts";
export type {
  FinishReason,
  ModelEvent,
  ModelPort,
  ModelRequest,
  ModelUsage,
  ThinkingLevel,
} from "./model-port.ts";
export type { ToolAnnotations, ToolDescriptor, ToolOrigin } from "./tool-descriptor.ts";
