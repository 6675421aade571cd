// For the rooms of this package only. It loads nothing heavy: an opener loads what it needs when it is called.
export type {
  Session,
  SessionApproval,
  SessionContent,
  SessionEvent,
  SessionUser,
} from "../conductor/index.ts";
export { readAttachments } from "./agent/attachments.ts";
export { chosenModel } from "./agent/chosen-model.ts";
export { ruleProblem } from "./agent/rule-problem.ts";
export type { OpenedSession } from "./agent/session-options.ts";
export { demoServers, serveLaunch, stdioLaunch } from "./demo.ts";
export type { FileEdit } from "./edits/edit-file.ts";
export type { Edits } from "./edits/open-edits.ts";
export { firstOf } from "./first-of.ts";
export type { Gateway } from "./gateway/gateway-options.ts";
export type { LedgerRecords, WaitingChange } from "./ledger/ledger-records.ts";
export { type AreaCursor, liveArea } from "./live-area.ts";
export { openRun, type Run, type RunOptions } from "./open-run.ts";
export { outlivesParent } from "./outlives-parent.ts";
export { productVersion } from "./product-version.ts";
export { drainTimeMs, openLog } from "./serve-lines.ts";
export { findTool, knownToolNames, shownToolName } from "./servers/find-tool.ts";
export { MAX_NAME_CHARS } from "./servers/name-limit.ts";
export type { OpenServers } from "./servers/open-servers.ts";
export { shutdownSignal } from "./shutdown-signal.ts";
export type { FoundServers } from "./sources/find-servers.ts";
export type { FoundServer } from "./sources/read-sources.ts";
export { fileSaver } from "./streams/file-saver.ts";
export { progressLine } from "./streams/progress-line.ts";
export { readInput } from "./streams/read-input.ts";
export { type KeyInput, processTerminal, type Terminal, withMessages, withoutColours } from "./terminal.ts";
export { waitingLine } from "./waiting-line.ts";
