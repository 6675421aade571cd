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
export { openResultReader } from "./results/open-result-reader.ts";
export { previewOf, READ_RESULT, resultText } from "./results/preview.ts";
export { createMemoryResultStore, type ResultStore } from "./results/result-store.ts";
export { addUsage } from "./usage.ts";
