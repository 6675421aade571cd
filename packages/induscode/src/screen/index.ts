export { type ClientLaunch, showClientSetup } from "./client-setup.ts";
export { showJson } from "./json.ts";
export { noAnswerMessage, printOutcome } from "./outcome.ts";
export { plainStatus, showStatuses, showStatusLine } from "./status.ts";
export { suggestion, unknownToolMessage } from "./suggestion.ts";
export { showNativeTools, showServerTools } from "./tool-table.ts";
