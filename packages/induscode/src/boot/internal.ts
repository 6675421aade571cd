// For the rooms of this package only. It loads nothing heavy: the functions at the end are loaded when they are called.
import type * as agent from "./agent/open-session.ts";
import type * as edits from "./edits/open-edits.ts";
import type * as gateway from "./gateway/open-gateway.ts";
import type * as ledger from "./ledger/ledger-records.ts";
import type * as likely from "./servers/likely-servers.ts";
import type * as servers from "./servers/open-servers.ts";
import type * as patterns from "./servers/report-patterns.ts";
import type * as cards from "./session/last-known-cards.ts";
import type * as sources from "./sources/find-servers.ts";
import type * as watching from "./sources/watch-servers.ts";

export type {
  Session,
  SessionApproval,
  SessionContent,
  SessionEvent,
  SessionUser,
} from "../conductor/index.ts";
export { readAttachments } from "./agent/attachments.ts";
export { chosenModel, modelListings } from "./agent/chosen-model.ts";
export type { OpenedSession } from "./agent/open-session.ts";
export { ruleProblem } from "./agent/rule-problem.ts";
export { demoServers, serveLaunch, stdioLaunch } from "./demo.ts";
export type { FileEdit } from "./edits/edit-file.ts";
export type { Edits } from "./edits/open-edits.ts";
export { firstOf } from "./first-of.ts";
export type { Gateway } from "./gateway/gateway-options.ts";
export type { LedgerRecords, WaitingChange } from "./ledger/ledger-records.ts";
export { type AreaCursor, liveArea } from "./live-area.ts";
export { repairPath } from "./login-path/repair-path.ts";
export { machineFacts } from "./machine-facts.ts";
export { openLog } from "./open-log.ts";
export { openRun, type Run, type RunOptions } from "./open-run.ts";
export { productVersion } from "./product-version.ts";
export { findTool, knownToolNames, shownToolName } from "./servers/find-tool.ts";
export type { OpenServers } from "./servers/mount-servers.ts";
export { MAX_NAME_CHARS } from "./servers/name-limit.ts";
export { openNativeTools } from "./session/open-native-tools.ts";
export { shutdownSignal } from "./shutdown-signal.ts";
export type { FoundServers } from "./sources/find-servers.ts";
export { keptInputs } from "./sources/kept-inputs.ts";
export type { FoundServer } from "./sources/read-sources.ts";
export { fileSaver } from "./streams/file-saver.ts";
export { progressLine } from "./streams/progress-line.ts";
export { readInput } from "./streams/read-input.ts";
export { type KeyInput, processTerminal, type Terminal, withMessages, withoutColours } from "./terminal.ts";
export { waitingLine } from "./waiting-line.ts";
export { auditRecords, serverLogs, tokenStore } from "./workspace-records.ts";

export const openSession: typeof agent.openSession = async (...given) =>
  (await import("./agent/open-session.ts")).openSession(...given);

export const openEdits: typeof edits.openEdits = async (...given) =>
  (await import("./edits/open-edits.ts")).openEdits(...given);

export const openGateway: typeof gateway.openGateway = async (...given) =>
  (await import("./gateway/open-gateway.ts")).openGateway(...given);

export const ledgerRecords: typeof ledger.ledgerRecords = async (...given) =>
  (await import("./ledger/ledger-records.ts")).ledgerRecords(...given);

export const likelyServers: typeof likely.likelyServers = async (...given) =>
  (await import("./servers/likely-servers.ts")).likelyServers(...given);

export const openServers: typeof servers.openServers = async (...given) =>
  (await import("./servers/open-servers.ts")).openServers(...given);

export const patternProblems: typeof patterns.patternProblems = async (...given) =>
  (await import("./servers/report-patterns.ts")).patternProblems(...given);

export const lastKnownCards: typeof cards.lastKnownCards = async (...given) =>
  (await import("./session/last-known-cards.ts")).lastKnownCards(...given);

export const findServers: typeof sources.findServers = async (...given) =>
  (await import("./sources/find-servers.ts")).findServers(...given);

export const watchServers: typeof watching.watchServers = async (...given) =>
  (await import("./sources/watch-servers.ts")).watchServers(...given);
