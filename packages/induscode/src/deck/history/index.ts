export { diffHistory, type HistoryDiff, type ToolChange } from "./diff-history.ts";
export { explainTool, type ToolExplanation } from "./explain-tool.ts";
export type { DecisionEvent, EntryEvent, HistoryEvent } from "./history-event.ts";
export {
  type DamagedSegment,
  type LedgerHistory,
  type ReadHistoryOptions,
  readLedgerHistory,
} from "./read-history.ts";
export { showHistory } from "./show-history.ts";
