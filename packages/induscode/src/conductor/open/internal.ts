// Loads nothing heavy before it is called.
import type * as session from "./open-session.ts";
import type * as servers from "./open-session-servers.ts";

export { readAttachments } from "./attachments.ts";
export { chosenModel, modelListings } from "./chosen-model.ts";
export type { OpenedSession } from "./open-session.ts";
export { ruleProblem } from "./rule-problem.ts";

export const openSession: typeof session.openSession = async (...given) =>
  (await import("./open-session.ts")).openSession(...given);

export const openSessionServers: typeof servers.openSessionServers = async (...given) =>
  (await import("./open-session-servers.ts")).openSessionServers(...given);
