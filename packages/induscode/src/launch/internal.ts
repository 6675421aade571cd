// For the rooms of this package only. It loads no part of the framework, because every command loads it.
export {
  type GivenArgument,
  isObjectWord,
  parseArgumentObject,
  parseGivenArguments,
} from "./arguments/given-arguments.ts";
export type { CommandSpec, CommandSpecs } from "./command-spec.ts";
export { type Flag, spellings } from "./flag-spec.ts";
export { mainFlag } from "./flag-table.ts";
export { HELP_COMMAND, helpText, shortHelp } from "./help.ts";
export { readInvocation } from "./invocation.ts";
export { commandWords, parseArguments, refusesColours } from "./parse-arguments.ts";
export type { ParsedFlags } from "./parse-flags.ts";
export type { CommandCall, ParsedLine, SessionLine } from "./parsed-line.ts";
export {
  readSessionFlags,
  SESSION_FLAGS,
  SETTING_NAMES,
  type SessionFlags,
  type SettingName,
} from "./session-flags.ts";
export {
  CLIENT_WORDS,
  type ClusterPlace,
  CWD,
  clusterFlags,
  isUrl,
  JSON_OUTPUT,
  KEY_FILE,
  LISTED_TOOLS,
  MCP,
  NAME_KINDS,
  type NameKind,
  oneWord,
  orOfCluster,
  POLICY_FLAGS,
  type PolicyFlags,
  readCluster,
  readListedTools,
  readPolicyFlags,
  readSaveTo,
  readSources,
  readTimeout,
  readWait,
  SAVE_TO,
  SERVE_PROFILES,
  SERVER_FLAGS,
  type ServeProfile,
  type ServerSources,
  secondsUpTo,
  TIMEOUT,
  type ToolSelection,
  type ToolsListing,
  waitFlag,
  YES,
} from "./shared-flags.ts";
export {
  CODE_MODE,
  canonToolName,
  cardNamed,
  isMountedPattern,
  isToolPattern,
  NATIVE_IDS,
  ON_REQUEST,
  SESSION_TOOL_NAMES,
  TOOL_NAMES,
} from "./tool-names.ts";
export type { UsageProblem } from "./usage-problem.ts";
