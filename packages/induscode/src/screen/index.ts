export { type Checkup, showCheckup } from "./checkup.ts";
export { type ClientLaunch, showClientSetup } from "./client-setup.ts";
export type { ContentView } from "./content/content-view.ts";
export { showMessages, showResourceContents } from "./content/mcp-block.ts";
export { noAnswerMessage, printOutcome } from "./content/outcome.ts";
export { paintDiffs } from "./diff.ts";
export { showDifference, showLine } from "./difference.ts";
export { showCallRecord } from "./gateway/call-lines.ts";
export { type ShownToken, showTokens } from "./gateway/token-table.ts";
export { showJson, showJsonLine } from "./json.ts";
export { type KnownServer, showKnownServers } from "./known-servers.ts";
export { type LogLinesOptions, showLogEntry } from "./log-lines.ts";
export { type MarkdownStream, markdownStream } from "./markdown/markdown-stream.ts";
export { renderMarkdown } from "./markdown/render-markdown.ts";
export { type ServerRow, showServers } from "./server-table.ts";
export {
  plainStatus,
  showLogin,
  showStart,
  showState,
  showStatuses,
  showStatusLine,
  showWaiting,
  showWatched,
  type WatchedOptions,
} from "./status.ts";
export { showReasons, showStderr } from "./stderr.ts";
export { suggestion, unknownToolMessage } from "./suggestion.ts";
export { type ListLine, showLines } from "./table/lines.ts";
export { showTable } from "./table/table.ts";
export { type ShownToolCost, showToolCost } from "./tool-cost.ts";
export { shellLine } from "./tools/shell-line.ts";
export { fullSchema, type OutlinedTool, showToolLines, showToolOutlines } from "./tools/tool-outline.ts";
export { showMountedCards, showNativeTools, showServerTools } from "./tools/tool-table.ts";
