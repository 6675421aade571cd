export type {
  Agent,
  AgentEndReason,
  AgentEvent,
  AgentOptions,
  AssistantEntry,
  CompactionEntry,
  ContextOptions,
  ResultOptions,
  ToolEntry,
  TranscriptEntry,
} from "./contract.ts";
export { createAgent } from "./create-agent.ts";
export { createMemoryResultStore, type ResultStore } from "./results/result-store.ts";
export { addUsage } from "./usage.ts";
