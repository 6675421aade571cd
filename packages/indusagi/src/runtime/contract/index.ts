export type {
  Caller,
  CallerAbilities,
  ClientInfo,
  LogEntry,
  LogLevel,
  ProgressNote,
  Resumption,
} from "./caller.ts";
export type { Answers, Question, QuestionMethod, Questions } from "./question.ts";
export type { ToolBox, ToolBoxChange, ToolRefusal, ToolRunner } from "./tool-box.ts";
export type { ToolCall } from "./tool-call.ts";
export type { RpcError, ToolFault, ToolFaultKind, ToolFaultReason } from "./tool-fault.ts";
export type { Suspension, ToolOutcome, WireResult } from "./tool-outcome.ts";
export type { ToolResult } from "./tool-result.ts";
