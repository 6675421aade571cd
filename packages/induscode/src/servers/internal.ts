// For the rooms of this package only. Heavy parts are loaded when they are called.
import type * as edits from "./edit/open-edits.ts";
import type * as found from "./find/find-servers.ts";
import type * as watching from "./find/watch-servers.ts";
import type * as cards from "./open/last-known-cards.ts";
import type * as likely from "./open/likely-servers.ts";
import type * as servers from "./open/open-servers.ts";
import type * as patterns from "./open/report-patterns.ts";
import type * as running from "./open/running-servers.ts";

export { machineFacts } from "./doctor/machine-facts.ts";
export type { FileEdit } from "./edit/edit-file.ts";
export type { Edits } from "./edit/open-edits.ts";
export { keptInputs } from "./find/kept-inputs.ts";
export type { FoundServer } from "./find/load-sources.ts";
export { showDiagnostic } from "./find/show-diagnostic.ts";
export { startEarly } from "./open/early-starts.ts";
export {
  findShownTool,
  knownToolNames,
  MAX_NAME_CHARS,
  shownToolName,
} from "./open/find-tool.ts";
export { repairPath } from "./open/repair-path.ts";

export const openEdits: typeof edits.openEdits = async (...given) =>
  (await import("./edit/open-edits.ts")).openEdits(...given);

export const findServers: typeof found.findServers = async (...given) =>
  (await import("./find/find-servers.ts")).findServers(...given);

export const watchServers: typeof watching.watchServers = async (...given) =>
  (await import("./find/watch-servers.ts")).watchServers(...given);

export const lastKnownCards: typeof cards.lastKnownCards = async (...given) =>
  (await import("./open/last-known-cards.ts")).lastKnownCards(...given);

export const likelyServers: typeof likely.likelyServers = async (...given) =>
  (await import("./open/likely-servers.ts")).likelyServers(...given);

export const openServers: typeof servers.openServers = async (...given) =>
  (await import("./open/open-servers.ts")).openServers(...given);

export const useRunningServers: typeof running.useRunningServers = async (...given) =>
  (await import("./open/running-servers.ts")).useRunningServers(...given);

export const patternProblems: typeof patterns.patternProblems = async (...given) =>
  (await import("./open/report-patterns.ts")).patternProblems(...given);
export { bareToolNames, typedToolNames } from "./open/typed-tool.ts";
