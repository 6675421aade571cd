export type { JsonContentBlock, TextContentBlock, ToolContentBlock } from "../llm/index.ts";
export {
  type Agent,
  type AgentEndReason,
  type AgentEvent,
  type AgentOptions,
  type AssistantEntry,
  type CompactionEntry,
  type ContextOptions,
  createAgent,
  createMemoryResultStore,
  type ResultOptions,
  type ResultStore,
  type ToolEntry,
  type TranscriptEntry,
} from "./agent/index.ts";
export { createTableBox, joinBoxes, type TableBox, type TableTool } from "./box/index.ts";
export type {
  Answers,
  Caller,
  CallerAbilities,
  ClientInfo,
  LogEntry,
  LogLevel,
  ProgressNote,
  Question,
  QuestionMethod,
  Questions,
  Resumption,
  RpcError,
  Suspension,
  ToolBox,
  ToolBoxChange,
  ToolCall,
  ToolFault,
  ToolFaultKind,
  ToolFaultReason,
  ToolOutcome,
  ToolResult,
  ToolRunner,
  WireResult,
} from "./contract/index.ts";
export {
  createToolIndex,
  type EconomyOptions,
  economize,
  listCost,
  type ToolIndex,
  type ToolSearchOptions,
} from "./economy/index.ts";
export {
  abortedOutcome,
  answeredOutcome,
  faultOutcome,
  foldContent,
  unknownToolOutcome,
} from "./outcomes.ts";
export { blockText, failureResult, jsonResult, mcpBlock, textResult } from "./results.ts";
