import { editConfigValues, readConfigText } from "indusagi/config";
import { describeError, escapeForDisplay } from "indusagi/core";
import type { Run } from "../boot/internal.ts";
import {
  chosenModel,
  type MergedSettings,
  mergedSettings,
  readSettings,
  type SettingSource,
  type Sourced,
  settingProblem,
} from "../conductor/open/internal.ts";
import {
  type CommandSpec,
  CWD,
  type Flag,
  JSON_OUTPUT,
  mainFlag,
  oneWord,
  type ParsedFlags,
  POLICY_FLAGS,
  readPolicyFlags,
  SETTING_NAMES,
  type SettingName,
} from "../launch/internal.ts";
import { showJson, showTable } from "../screen/index.ts";
import { type FileEdit, openEdits } from "../servers/internal.ts";
import { printEdit } from "./mcp/report-edit.ts";

/** Flags of a session, to show what would count with them. */
interface GivenFlags {
  readonly model?: string | undefined;
  readonly mode?: MergedSettings["mode"]["value"] | undefined;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly tools: readonly string[];
}

interface ListRequest {
  readonly flags: GivenFlags;
  readonly json: boolean;
}

interface GetRequest extends ListRequest {
  readonly name: SettingName;
}

interface SetRequest {
  readonly name: SettingName;
  readonly values: readonly string[];
  readonly json: boolean;
  /** Change the project's file. */
  readonly project: boolean;
}

const SHOW_FLAGS: readonly Flag[] = [
  mainFlag("--model"),
  ...POLICY_FLAGS,
  mainFlag("--tools"),
  JSON_OUTPUT,
  CWD,
];

const LISTS: readonly SettingName[] = ["allow", "deny", "tools"];

const TOOLS_PROBLEM =
  'tools belongs into a project\'s .indusvx/settings.json, as "tools": ["read", "notes__*"]';

export const CONFIG_LIST: CommandSpec<ListRequest> = {
  name: "config list",
  group: "everyday",
  summary:
    "Show the settings of a session in this folder, and where each comes from. The flags of a session may follow, to see what counts with them.",
  flags: SHOW_FLAGS,
  examples: ["indus config list", "indus config list --mode plan --json"],
  read: (flags) => ({ flags: readGiven(flags), json: flags.has("--json") }),
};

export const CONFIG_GET: CommandSpec<GetRequest> = {
  name: "config get",
  group: "everyday",
  operands: "NAME",
  choices: SETTING_NAMES,
  summary: `Show one setting and where it comes from. NAME is one of ${SETTING_NAMES.join(", ")}.`,
  flags: SHOW_FLAGS,
  examples: ["indus config get model"],
  read: (flags) => {
    const name = oneWord(flags, "config get", SETTING_NAMES);
    if (typeof name === "object") return name;
    return { name, flags: readGiven(flags), json: flags.has("--json") };
  },
};

const PROJECT: Flag = {
  name: "--project",
  aliases: [],
  kind: "boolean",
  describe:
    "Only with share off: write it into this project's .indusvx/settings.json, so that no client here uses the background gateway.",
};

export const CONFIG_SET: CommandSpec<SetRequest> = {
  name: "config set",
  group: "everyday",
  operands: "NAME VALUE …",
  summary:
    "Change a setting in your settings.json. NAME is model, mode, connectProfile or share, or allow or deny with one or more rules, which replace the earlier ones. Comments are kept.",
  flags: [PROJECT, JSON_OUTPUT, CWD],
  examples: [
    "indus config set share off --project",
    "indus config set model anthropic/claude-sonnet-4-5",
    "indus config set deny webfetch websearch",
  ],
  read: (flags) => {
    const [name, ...values] = [...flags.operands, ...flags.afterEnd];
    const known = SETTING_NAMES.find((each) => each === name);
    if (name === undefined || (known !== undefined && values.length === 0))
      return { problem: `config set needs a name and a value, such as config set ${name ?? "mode"} VALUE` };
    if (known === undefined)
      return {
        problem: `there is no setting ${JSON.stringify(name)}, only ${SETTING_NAMES.join(", ")}`,
        unknown: { word: name, known: SETTING_NAMES },
      };
    if (known === "tools") return { problem: TOOLS_PROBLEM };
    if (!LISTS.includes(known) && values.length > 1)
      return { problem: `${known} takes one value, not also ${JSON.stringify(values[1])}` };
    const project = flags.has("--project");
    if (project && (known !== "share" || values[0] !== "off"))
      return {
        problem:
          "--project is only for share off: a project's file may only narrow, and the rest of it is written by hand",
      };
    return { name: known, values, json: flags.has("--json"), project };
  },
};

interface UnsetRequest {
  readonly name: SettingName;
  readonly json: boolean;
}

export const CONFIG_UNSET: CommandSpec<UnsetRequest> = {
  name: "config unset",
  group: "everyday",
  operands: "NAME",
  choices: SETTING_NAMES,
  summary: "Remove a setting from your settings.json. Comments are kept.",
  flags: [JSON_OUTPUT, CWD],
  examples: ["indus config unset model"],
  read: (flags) => {
    const name = oneWord(flags, "config unset", SETTING_NAMES);
    if (typeof name === "object") return name;
    return name === "tools" ? { problem: TOOLS_PROBLEM } : { name, json: flags.has("--json") };
  },
};

function readGiven(flags: ParsedFlags): GivenFlags {
  const { mode, allow, deny } = readPolicyFlags(flags);
  return {
    model: flags.value("--model"),
    mode: flags.has("--mode") ? mode : undefined,
    allow,
    deny,
    tools: flags.list("--tools"),
  };
}

/** One setting as `--json` shows it. */
interface ShownSetting {
  readonly name: SettingName;
  /** Null: not set. */
  readonly value: string | readonly string[] | null;
  /** Where the value, or each item of a list, comes from. */
  readonly from: readonly {
    readonly value: string;
    readonly source: SettingSource;
    readonly place?: string;
  }[];
}

interface Shown {
  readonly settings: readonly ShownSetting[];
  /** Whether a file could not be used as its author meant. */
  readonly hasErrors: boolean;
}

async function shownSettings(run: Run, flags: GivenFlags): Promise<Shown> {
  const { user, project, userFile, projectFile } = await readSettings(run);
  const problems = [...user.problems, ...project.problems];
  for (const { message } of problems) run.report(message);
  const merged = await mergedSettings({
    flags,
    env: { model: chosenModel({}, run.env) },
    user: user.values,
    project: project.values,
  });
  const places: { readonly [source in SettingSource]?: string | undefined } = {
    environment: "INDUS_MODEL",
    user: userFile,
    project: projectFile,
  };
  const settings = SETTING_NAMES.map((name): ShownSetting => {
    const found: Sourced | readonly Sourced[] | undefined = merged[name];
    const items = found === undefined ? [] : "source" in found ? [found] : found;
    const values = items.map(({ value }) => value);
    const from = items.map((item) => {
      const place = places[item.source];
      return place === undefined ? item : { ...item, place };
    });
    return { name, value: LISTS.includes(name) ? values : (values[0] ?? null), from };
  });
  return { settings, hasErrors: problems.some(({ isSerious }) => isSerious) };
}

function placeOf({ source, place }: Omit<ShownSetting["from"][number], "value">): string {
  return place === undefined ? source : `${source} (${place})`;
}

/** `indus config list`: every setting with its origin. Exit code 1 if sessions are refused because of a file. */
export async function listConfig(run: Run, { flags, json }: ListRequest): Promise<number> {
  const { settings, hasErrors } = await shownSettings(run, flags);
  const rows = settings.flatMap(({ name, from }) =>
    from.length === 0
      ? [[name, "-", "not set"]]
      : from.map((item, index) => [index === 0 ? name : "", item.value, placeOf(item)]),
  );
  const { terminal } = run;
  terminal.out(
    json ? showJson(settings) : showTable([["NAME", "VALUE", "FROM"], ...rows], terminal.outLook ?? {}),
  );
  return hasErrors ? 1 : 0;
}

/** `indus config get`: the value alone on standard output, its origin beside it. */
export async function getConfig(run: Run, { name, flags, json }: GetRequest): Promise<number> {
  const { settings, hasErrors } = await shownSettings(run, flags);
  const setting = settings.find((each) => each.name === name);
  if (json) run.terminal.out(showJson(setting));
  else for (const { value } of setting?.from ?? []) run.terminal.out(`${escapeForDisplay(value)}\n`);
  const origins = new Set(setting?.from.map(placeOf));
  if (!json)
    run.report(origins.size === 0 ? `${name} is not set` : `${name} comes from ${[...origins].join(", ")}`);
  return hasErrors || setting?.value === null ? 1 : 0;
}

/** `indus config set`: changes the user's file, or turns sharing off in the project's. */
export async function setConfig(run: Run, { name, values, json, project }: SetRequest): Promise<number> {
  const value = LISTS.includes(name) ? values : values[0];
  const problem = await settingProblem(name, value);
  if (problem !== undefined) {
    run.report(`${name} ${problem}`);
    return 2;
  }
  return changeSetting(run, { name, value, json, project });
}

/** `indus config unset`: changes the user's file only. */
export async function unsetConfig(run: Run, { name, json }: UnsetRequest): Promise<number> {
  return changeSetting(run, { name, value: undefined, json });
}

/** Keeps a model for new sessions, and returns what happened as one line. Throws, with the fix, if it cannot be kept. */
export async function keepModel(run: Run, model: string): Promise<string> {
  const { path } = await writeSetting(run, "model", model);
  const winner = await winnerOver(run, { name: "model", value: model });
  return `new sessions use ${model}, kept in ${path}${winner === undefined ? "" : `; ${winner}`}`;
}

interface SettingChange {
  readonly name: SettingName;
  /** Undefined: remove it. */
  readonly value: string | readonly string[] | undefined;
  /** In the project's file. Default: in the user's. */
  readonly project?: boolean;
}

/** Changes one member of the user's file, and reports what counts here if that is another. */
async function changeSetting(
  run: Run,
  { json, ...change }: SettingChange & { readonly json: boolean },
): Promise<number> {
  const { name, value } = change;
  try {
    const edit = await writeSetting(run, name, value, change.project);
    const done = value === undefined ? `removed ${name} from` : `set ${name} in`;
    if (json)
      run.terminal.out(showJson({ name, value: value ?? null, file: edit.path, changed: edit.isChanged }));
    else printEdit(run, edit.isChanged ? done : `unchanged: ${name} in`, edit);
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
  const winner = change.project ? undefined : await winnerOver(run, change);
  if (winner !== undefined) run.report(winner);
  return 0;
}

async function writeSetting(
  run: Run,
  name: SettingName,
  value: SettingChange["value"],
  inProject = false,
): Promise<FileEdit> {
  const { userFile, projectFile } = await readSettings(run);
  const file = inProject ? projectFile : userFile;
  if (file === undefined)
    throw new Error("there is no home folder for settings; set HOME or XDG_CONFIG_HOME");
  const isRemoval = value === undefined;
  if (isRemoval && "isAbsent" in readConfigText(file))
    return { path: file, isChanged: false, after: "", difference: "" };
  const edits = await openEdits(run);
  return edits.editFile(file, (text = "") => {
    if (text.trim() !== "") return editConfigValues(text, [{ path: [name], value }], file);
    return isRemoval ? text : `${JSON.stringify({ [name]: value }, undefined, 2)}\n`;
  });
}

/** Says that something else than the user's file decides about a setting here. Undefined: the file does. */
async function winnerOver(run: Run, { name, value }: SettingChange): Promise<string | undefined> {
  if (LISTS.includes(name)) return undefined;
  const { settings } = await shownSettings(run, { allow: [], deny: [], tools: [] });
  const winner = settings.find((each) => each.name === name)?.from[0];
  if (!winner || winner.source === "user") return undefined;
  const here = `here ${name} is ${winner.value}, from ${placeOf(winner)}`;
  if (value !== undefined) return `${here}, which wins over your file`;
  return winner.source === "default" ? undefined : here;
}
