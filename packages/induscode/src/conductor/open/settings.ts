import { dirname, join } from "node:path";
import {
  configLine,
  projectConfigPath,
  readConfigText,
  readConfigValue,
  userConfigPath,
} from "indusagi/config";
import { describeError, type Environment, isRecord } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import type { Invocation } from "../../launch/index.ts";
import {
  canonToolName,
  ON_REQUEST,
  SERVE_PROFILES,
  SESSION_TOOL_NAMES,
  SETTING_NAMES,
  type ServeProfile,
  type SessionFlags,
  type SettingName,
  TOOL_NAMES,
} from "../../launch/internal.ts";
import type { PolicyMode } from "../../policy/index.ts";
import { suggestion } from "../../screen/index.ts";
import { chosenModel } from "./chosen-model.ts";
import { ruleProblem } from "./rule-problem.ts";

/** The modes that a file may set. `bypass` is only for the command line. */
const FILE_MODES = ["default", "acceptEdits", "plan"] as const;

/** Whether clients here may use the background gateway. */
const SHARING = ["on", "off"] as const;
type Sharing = (typeof SHARING)[number];

/** What the user's `settings.json` sets. */
export interface UserSettings {
  readonly model?: string;
  readonly mode?: (typeof FILE_MODES)[number];
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly connectProfile?: ServeProfile;
  readonly share?: Sharing;
}

/** What a project's `settings.json` sets: only what takes something away. */
export interface ProjectSettings {
  readonly mode?: "plan";
  readonly deny?: readonly string[];
  readonly tools?: readonly string[];
  readonly share?: "off";
}

/** Everything that has a say in a session. */
export interface SettingLayers {
  readonly flags: {
    readonly model?: string | undefined;
    readonly mode?: PolicyMode | undefined;
    readonly allow: readonly string[];
    readonly deny: readonly string[];
    readonly tools: readonly string[];
  };
  /** Those of the session that is continued. */
  readonly earlier?: { readonly model?: string | undefined; readonly mode?: PolicyMode | undefined };
  readonly env: { readonly model?: string | undefined };
  readonly project: ProjectSettings;
  readonly user: UserSettings;
}

export type SettingSource = "flag" | "session" | "environment" | "project" | "user" | "default";

/** A value and where it comes from. */
export interface Sourced<Value extends string = string> {
  readonly value: Value;
  readonly source: SettingSource;
}

export interface MergedSettings {
  readonly model: Sourced | undefined;
  readonly mode: Sourced<PolicyMode>;
  readonly allow: readonly Sourced[];
  readonly deny: readonly Sourced[];
  /** Empty: no filter. */
  readonly tools: readonly Sourced[];
  /** Undefined: `indus connect` asks. */
  readonly connectProfile: Sourced<ServeProfile> | undefined;
  readonly share: Sourced<Sharing>;
}

/**
 * What counts: flags, then the continued session, the environment, the user's file and the defaults; rules of all of them add
 * up. A project only narrows: whatever its file says, it adds no allowed call, no tool and no model.
 */
export function mergeSettings({ flags, earlier, env, project, user }: SettingLayers): MergedSettings {
  return {
    model: firstSet([
      ["flag", flags.model],
      ["session", earlier?.model],
      ["environment", env.model],
      ["user", user.model],
    ]),
    mode: firstSet<PolicyMode>([
      ["flag", flags.mode],
      ["project", project.mode],
      ["session", earlier?.mode],
      ["user", user.mode],
    ]) ?? { value: "default", source: "default" },
    allow: [...sourced("user", user.allow), ...sourced("flag", flags.allow)],
    deny: [
      ...sourced("project", project.deny),
      ...sourced("user", user.deny),
      ...sourced("flag", flags.deny),
    ],
    tools: flags.tools.length > 0 ? sourced("flag", flags.tools) : sourced("project", project.tools),
    connectProfile: firstSet([["user", user.connectProfile]]),
    share: firstSet<Sharing>([
      ["project", project.share],
      ["user", user.share],
    ]) ?? { value: "on", source: "default" },
  };
}

function firstSet<Value extends string>(
  layers: readonly (readonly [SettingSource, Value | undefined])[],
): Sourced<Value> | undefined {
  for (const [source, value] of layers) if (value !== undefined) return { value, source };
  return undefined;
}

function sourced(source: SettingSource, values: readonly string[] = []): readonly Sourced[] {
  return values.map((value) => ({ value, source }));
}

type SettingScope = "user" | "project";

/** Something in a file that is not used. */
interface SettingProblem {
  /** One line, with file and line, and the way out. */
  readonly message: string;
  /** The file could have narrowed what a session may do, so without it a session could do more than was meant. */
  readonly isSerious: boolean;
  /** Absent: the whole file, or an unknown member. */
  readonly name?: SettingName;
}

interface ParsedSettings<Values> {
  readonly values: Values;
  readonly problems: readonly SettingProblem[];
}

/** The settings of this folder, and where they were looked for. */
export interface SettingFiles {
  /** Undefined without a home folder. */
  readonly userFile: string | undefined;
  readonly projectFile: string;
  readonly user: ParsedSettings<UserSettings>;
  readonly project: ParsedSettings<ProjectSettings>;
}

/** Reads both files. Never rejects: what is wrong with them is in their problems. A missing file is empty. */
export async function readSettings(place: {
  readonly cwd: string;
  readonly env: Environment;
}): Promise<SettingFiles> {
  const userFile = userSettingsPath(place.env);
  const projectFile = join(dirname(projectConfigPath(place)), "settings.json");
  const [user, project] = await Promise.all([
    userFile === undefined ? { values: {}, problems: [] } : readUserSettings(place.env),
    readFile<ProjectSettings>(projectFile, { scope: "project", userFile }),
  ]);
  return { userFile, projectFile, user, project };
}

/** Beside the user's `mcp.json`. Undefined without a home folder. */
function userSettingsPath(env: Environment): string | undefined {
  const config = userConfigPath({ env });
  return config === undefined ? undefined : join(dirname(config), "settings.json");
}

/** Reads the user's file only. */
export async function readUserSettings(env: Environment): Promise<ParsedSettings<UserSettings>> {
  const file = userSettingsPath(env);
  return file === undefined ? { values: {}, problems: [] } : readFile(file, { scope: "user" });
}

interface ParseOptions {
  readonly scope: SettingScope;
  /** Where a member of a project's file can go instead. */
  readonly userFile?: string | undefined;
}

async function readFile<Values>(file: string, options: ParseOptions): Promise<ParsedSettings<Values>> {
  const reading = readConfigText(file);
  if ("text" in reading) return parseSettings(reading.text, file, options);
  const message = `${file}: error: it ${reading.problem}`;
  return {
    values: {} as Values,
    problems: reading.isAbsent ? [] : [{ message, isSerious: true }],
  };
}

/** Parses the text of a file. Values that are wrong, unknown, or not for this file are left out and are problems. */
export async function parseSettings<Values>(
  text: string,
  file: string,
  { scope, userFile }: ParseOptions,
): Promise<ParsedSettings<Values>> {
  const reading = readConfigValue(text);
  if ("problem" in reading) {
    const message = `${file}:${reading.line}: error: it ${reading.problem}; fix it`;
    return {
      values: {} as Values,
      problems: reading.isBlank ? [] : [{ message, isSerious: true }],
    };
  }
  if (!isRecord(reading.value)) {
    const message = `${file}:1: error: it must contain an object, such as { "mode": "plan" }`;
    return { values: {} as Values, problems: [{ message, isSerious: true }] };
  }
  const values = new Map<string, unknown>();
  const problems: SettingProblem[] = [];
  const pending: SettingName[] = [];
  const at = (name: string, severity: string): string =>
    `${file}:${configLine(text, [name]) ?? 1}: ${severity}:`;
  for (const [name, value] of Object.entries(reading.value)) {
    if (name === "$schema") continue;
    const setting = SETTING_NAMES.find((each) => each === name);
    if (setting === undefined || (scope === "user" && setting === "tools")) {
      const why = setting
        ? `"tools" counts only in a project's .indusvx/settings.json; remove it here, or use "deny"`
        : `there is no setting ${JSON.stringify(name)}; ${await nearest(name, namesOf(scope))}`;
      problems.push({ message: `${at(name, "warning")} ${why}`, isSerious: false });
      continue;
    }
    if (scope === "project" && isForUser(setting, value)) {
      pending.push(setting);
      continue;
    }
    const problem = await settingProblem(setting, value);
    if (problem === undefined) values.set(setting, value);
    else
      problems.push({
        message: `${at(name, "error")} "${name}" ${problem}`,
        isSerious: NARROWING.includes(setting),
        name: setting,
      });
  }
  const [first] = pending;
  if (first !== undefined) {
    const into = userFile === undefined ? "" : `, ${userFile}`;
    problems.push({
      message: `${at(first, "warning")} ${pending.map((name) => `"${name}"`).join(", ")} of this project is not used: a project may only narrow, with "deny", "mode": "plan", "tools" and "share": "off"; to approve it, put it into your own file${into}: indus config set ${first} VALUE`,
      isSerious: false,
    });
  }
  return { values: Object.fromEntries(values) as Values, problems };
}

/** The settings that can take something away. */
const NARROWING: readonly SettingName[] = ["mode", "deny", "tools", "share"];

/** The settings that a file of this kind can have. */
function namesOf(scope: SettingScope): readonly SettingName[] {
  return scope === "user" ? SETTING_NAMES.filter((name) => name !== "tools") : NARROWING;
}

/** A value that gives more than the default, which a project cannot do. */
function isForUser(name: SettingName, value: unknown): boolean {
  if (name === "share") return value === "on";
  return name === "mode" ? value === "default" || value === "acceptEdits" : !NARROWING.includes(name);
}

/** What is wrong with a value, as the rest of a sentence. Undefined if it can be used. */
export async function settingProblem(name: SettingName, value: unknown): Promise<string | undefined> {
  switch (name) {
    case "model":
      return typeof value === "string" ? modelProblem(value) : "must be a string such as provider/name";
    case "mode":
      return value === "bypass"
        ? "cannot be bypass in a file; only --mode bypass on the command line turns all approvals off"
        : wordProblem(value, FILE_MODES);
    case "connectProfile":
      return wordProblem(value, SERVE_PROFILES);
    case "share":
      return wordProblem(value, SHARING);
    case "tools":
      return toolsProblem(value);
    case "allow":
    case "deny": {
      if (!isTexts(value)) return 'must be a list of rules, such as ["webfetch", "notes__*"]';
      const problem = await ruleProblem({ allow: [], deny: [], [name]: value });
      return problem === undefined ? undefined : `has a wrong rule: ${problem}`;
    }
  }
}

async function modelProblem(value: string): Promise<string | undefined> {
  const { contextWindow } = await import("../../models/index.ts");
  try {
    // It parses the name.
    contextWindow(value, { env: {} });
    return undefined;
  } catch (thrown) {
    return `cannot be used: ${describeError(thrown)}`;
  }
}

async function wordProblem(value: unknown, words: readonly string[]): Promise<string | undefined> {
  if (typeof value === "string" && words.includes(value)) return undefined;
  const hint = typeof value === "string" ? await nearest(value, words) : "it is not a string";
  return `must be one of ${words.join(", ")}; ${hint}`;
}

async function toolsProblem(value: unknown): Promise<string | undefined> {
  if (!isTexts(value) || value.length === 0)
    return 'must be a list of at least one name, such as ["read", "grep", "notes__*"]';
  const extra = value.find((word) => ON_REQUEST.some((id) => canonToolName(id) === canonToolName(word)));
  if (extra !== undefined)
    return `cannot have ${JSON.stringify(extra)}, which a session offers only if --tools names it; remove it`;
  const unknown = value.find((word) => !SESSION_TOOL_NAMES.isValid(word));
  if (unknown === undefined) return undefined;
  const offered = (TOOL_NAMES.known ?? []).filter((id) => !ON_REQUEST.includes(id));
  return `has no tool for ${JSON.stringify(unknown)}; ${await nearest(unknown, offered)}`;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function nearest(word: string, known: readonly string[]): Promise<string> {
  return suggestion(word, known, `known are ${known.join(", ")}`);
}

/** What counts for a session of this folder. */
type SessionSettings = (earlier?: SettingLayers["earlier"]) => MergedSettings;

/**
 * Reads the settings for a session and reports what is not used. Throws if something that could narrow the session cannot be
 * read: the session would be able to do more than the file's author meant.
 */
export async function sessionSettings(
  run: Pick<Run, "cwd" | "env" | "report">,
  { model, tools }: Pick<Invocation, "model" | "tools">,
  { mode, allow, deny }: Pick<SessionFlags, "mode" | "allow" | "deny">,
): Promise<SessionSettings> {
  const { user, project } = await readSettings(run);
  const problems = [...user.problems, ...project.problems];
  const serious = problems.find(({ isSerious }) => isSerious);
  for (const problem of problems) if (problem !== serious) run.report(problem.message);
  if (serious) throw new Error(serious.message);
  const layers = {
    flags: { model, mode, allow, deny, tools },
    env: { model: chosenModel({}, run.env) },
    user: user.values,
    project: project.values,
  };
  return (earlier = {}) => mergeSettings({ ...layers, earlier });
}
