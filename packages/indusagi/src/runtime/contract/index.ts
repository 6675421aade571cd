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
} from "./caller.ts";
export type { ToolBox, ToolBoxChange, ToolRefusal, ToolRunner } from "./tool-box.ts";
export type {
  RpcError,
  Suspension,
  TaskWish,
  ToolCall,
  ToolFault,
  ToolFaultKind,
  ToolFaultReason,
  ToolOutcome,
  ToolResult,
  WireOutline,
  WireResult,
} from "./tool-call.ts";
