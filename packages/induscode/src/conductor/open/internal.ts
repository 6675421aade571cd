// Loads nothing heavy before it is called.
import type { Environment } from "indusagi/core";
import { chosenModel } from "./chosen-model.ts";
import type * as session from "./open-session.ts";
import type * as servers from "./open-session-servers.ts";
import type * as folder from "./session-folder.ts";
import type * as settings from "./settings.ts";

export { readAttachments } from "./attachments.ts";
export { chosenModel, modelAdvice, modelListings, NoModelError } from "./chosen-model.ts";
export type { NextSession, OpenedSession } from "./open-session.ts";
export { ruleProblem } from "./rule-problem.ts";
export type { MergedSettings, SettingSource, Sourced } from "./settings.ts";

export const openSession: typeof session.openSession = async (...given) =>
  (await import("./open-session.ts")).openSession(...given);

export const deleteSession: typeof folder.deleteSession = async (...given) =>
  (await import("./session-folder.ts")).deleteSession(...given);

export const openSessionServers: typeof servers.openSessionServers = async (...given) =>
  (await import("./open-session-servers.ts")).openSessionServers(...given);

export const readSettings: typeof settings.readSettings = async (...given) =>
  (await import("./settings.ts")).readSettings(...given);

export const readUserSettings: typeof settings.readUserSettings = async (...given) =>
  (await import("./settings.ts")).readUserSettings(...given);

/** The model of a session that names none itself. Undefined: none is configured. */
export const defaultModel = async (env: Environment): Promise<string | undefined> =>
  chosenModel({}, env) ?? (await readUserSettings(env)).values.model;

export const settingProblem: typeof settings.settingProblem = async (...given) =>
  (await import("./settings.ts")).settingProblem(...given);

export const mergedSettings = async (layers: settings.SettingLayers): Promise<settings.MergedSettings> =>
  (await import("./settings.ts")).mergeSettings(layers);
