export type { JsonContentBlock, TextContentBlock, ToolContentBlock } from "./content.ts";
export type { JsonObject, JsonSchema, JsonValue } from "./json.ts";
export type {
  AssistantMessage,
  ImagePart,
  Message,
  ReasoningPart,
  TextPart,
  ToolCallPart,
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
