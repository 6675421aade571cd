export type { JsonContentBlock, TextContentBlock, ToolContentBlock } from "../llm/index.ts";
export type {
  Agent,
  AgentEndReason,
  AgentEvent,
  AgentOptions,
  AssistantEntry,
  CompactionEntry,
  ContextOptions,
  ResultOptions,
  ResultStore,
  ToolEntry,
  TranscriptEntry,
} from "./agent/contract.ts";
export { addUsage } from "./agent/contract.ts";
export { createAgent } from "./agent/create-agent.ts";
export { previewOf, READ_RESULT, resultText } from "./agent/results/preview.ts";
export { createMemoryResultStore, openResultReader } from "./agent/results/result-store.ts";
export {
  createTableBox,
  joinBoxes,
  layerBox,
  type TableBox,
  type TableTool,
  type Tool,
  type ToolLayer,
  toolsOf,
  type ViewOptions,
  viewBox,
  wrapCalls,
} from "./box/index.ts";
export { argumentsOf, noteArguments } from "./call-arguments.ts";
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
  TaskWish,
  ToolBox,
  ToolBoxChange,
  ToolCall,
  ToolFault,
  ToolFaultKind,
  ToolFaultReason,
  ToolOutcome,
  ToolRefusal,
  ToolResult,
  ToolRunner,
  WireOutline,
  WireResult,
} from "./contract/index.ts";
export type { CodeOptions } from "./economy/code/code-box.ts";
export type { ProgramLimits } from "./economy/code/limits.ts";
export type { ProgramListing } from "./economy/code/run-code.ts";
export { type EconomyOptions, economize, economizedTools } from "./economy/economize.ts";
export { listCost } from "./economy/list-cost.ts";
export { createToolIndex, type ToolIndex, type ToolSearchOptions } from "./economy/search/tool-index.ts";
export {
  abortedOutcome,
  answeredOutcome,
  blockText,
  failureResult,
  faultOutcome,
  foldContent,
  jsonResult,
  mcpBlock,
  textResult,
  unknownToolOutcome,
  unlistedOutcome,
} from "./results.ts";
