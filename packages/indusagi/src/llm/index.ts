export { acceptedTypes, coerceArguments, explainMismatch } from "./arguments/index.ts";
export type {
  AssistantMessage,
  FinishReason,
  ImagePart,
  JsonContentBlock,
  JsonObject,
  JsonSchema,
  JsonValue,
  Message,
  ModelEvent,
  ModelPort,
  ModelRequest,
  ModelUsage,
  ReasoningPart,
  TextContentBlock,
  TextPart,
  ThinkingLevel,
  ToolAnnotations,
  ToolCallPart,
  ToolContentBlock,
  ToolDescriptor,
  ToolMessage,
  ToolOrigin,
  ToolResultPart,
  UserMessage,
  VendorData,
} from "./contract/index.ts";
export type { DialectName, LossReason, SchemaLoss, SchemaProjection } from "./dialects/dialect.ts";
export { projectName } from "./dialects/project-name.ts";
export { projectSchema } from "./dialects/project-schema.ts";
export { SCHEMA_BUDGET, schemaBudgetProblem } from "./dialects/walk/schema-budget.ts";
export { estimateTokens, estimateToolTokens } from "./outline/estimate-tokens.ts";
export { exampleArguments } from "./outline/example-arguments.ts";
export { toolSignature } from "./outline/tool-signature.ts";
