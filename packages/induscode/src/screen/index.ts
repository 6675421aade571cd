export { type Checkup, showCheckup } from "./checkup.ts";
export { type ClientLaunch, showClientSetup } from "./client-setup.ts";
export { showDifference, showLine } from "./difference.ts";
export { showJson, showJsonLine } from "./json.ts";
export { type LogLinesOptions, showLogEntry } from "./log-lines.ts";
export { noAnswerMessage, printOutcome } from "./outcome.ts";
export {
  hasFailed,
  plainStatus,
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
export { showNativeTools, showServerTools } from "./tool-table.ts";
