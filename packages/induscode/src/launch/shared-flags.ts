import type { Flag, ValueRule } from "./flag-spec.ts";
import { mainFlag } from "./flag-table.ts";
import type { ParsedFlags } from "./parse-flags.ts";
import { TOOL_NAMES } from "./tool-names.ts";
import type { UsageProblem } from "./usage-problem.ts";

// The flags that several commands take, each with how it is read.

export const MCP: Flag = mainFlag("--mcp");
export const CWD: Flag = mainFlag("--cwd");

export const JSON_OUTPUT: Flag = {
  name: "--json",
  aliases: [],
  kind: "boolean",
  describe: "Print JSON instead of text.",
};

export const YES: Flag = {
  name: "--yes",
  aliases: ["-y"],
  kind: "boolean",
  describe: "Do not ask.",
};

/** Every command takes these. */
export const EVERYWHERE: readonly Flag[] = [
  mainFlag("--help"),
  {
    name: "--no-color",
    aliases: [],
    kind: "boolean",
    describe: "Use no colours, whatever the environment says.",
  },
];

const RUN: Flag = {
  name: "--run",
  aliases: [],
  kind: "string",
  value: "COMMAND",
  repeats: true,
  describe: "Use a server that no file names: its command line (run without a shell) or its URL.",
};

/** What every command that uses servers takes. */
export const SERVER_FLAGS: readonly Flag[] = [MCP, RUN, CWD, mainFlag("--tools"), mainFlag("--no-tools")];

/** Which tools are offered. */
export interface ToolSelection {
  /** The words of `--tools`, see `selectTools`. Empty: no filter. */
  readonly tools: readonly string[];
  /** Offer nothing and start no server. */
  readonly noTools: boolean;
}

/** Where servers come from. Nothing given: the files of the folder and of the user. */
export interface ServerSources extends Partial<ToolSelection> {
  /** Files, folders and URLs. A file or URL that is named here is approved by that. */
  readonly mcp: readonly string[];
  /** Command lines or URLs of servers that no file names. */
  readonly run: readonly string[];
}

export function readSources(flags: ParsedFlags): ServerSources {
  const tools = flags.list("--tools");
  return {
    mcp: flags.list("--mcp"),
    run: flags.list("--run"),
    ...(tools.length > 0 ? { tools } : {}),
    ...(flags.has("--no-tools") ? { noTools: true } : {}),
  };
}

/** `all`: every tool. `search`: a few, and a search for the others. `auto`: the search for a client that cannot take all. */
const TOOLS_LISTINGS = ["all", "search", "auto"] as const;
export type ToolsListing = (typeof TOOLS_LISTINGS)[number];

function isListing(word: string): word is ToolsListing {
  return TOOLS_LISTINGS.some((listing) => listing === word);
}

/** The flag that chooses tools everywhere. Here one of its words may say how they are listed: no tool has such a name. */
export const LISTED_TOOLS: Flag = {
  ...mainFlag("--tools"),
  value: "HOW",
  describe:
    "How tools are listed: all (the default), search (a few, and a search for the others) or auto (search for a client that cannot take all). More words choose tools as elsewhere: search,read,notes__*.",
  accepts: {
    describe: `${TOOLS_LISTINGS.join(", ")}, and ${TOOL_NAMES.describe}`,
    known: [...TOOLS_LISTINGS, ...(TOOL_NAMES.known ?? [])],
    isValid: (word) => isListing(word) || TOOL_NAMES.isValid(word),
  },
};

interface ListedToolsWords {
  /** How tools are listed, if a word says it. */
  readonly listing?: ToolsListing;
  /** The words that choose tools. */
  readonly names: readonly string[];
}

/** Tells the words of `LISTED_TOOLS` apart. */
export function readListedTools(words: readonly string[]): ListedToolsWords | UsageProblem {
  const [listing, another] = new Set(words.filter(isListing));
  if (another !== undefined) return { problem: `--tools ${listing},${another}: choose one of them` };
  const names = words.filter((word) => !isListing(word));
  return { names, ...(listing === undefined ? {} : { listing }) };
}

/** `read-only`: tools that change nothing. `full`: all native tools. `all`: the app cards too. `none`: only those of servers. */
export const SERVE_PROFILES = ["read-only", "full", "all", "none"] as const;
export type ServeProfile = (typeof SERVE_PROFILES)[number];

/** How calls are answered that no rule names. */
const MODES = ["default", "acceptEdits", "plan", "bypass"] as const;

/** What a policy is made of. The rules are parsed where it is made. */
export interface PolicyFlags {
  readonly mode: (typeof MODES)[number];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** The flags of every command that runs calls of others. */
export const POLICY_FLAGS: readonly Flag[] = [
  {
    name: "--mode",
    aliases: [],
    kind: "string",
    value: "MODE",
    choices: MODES,
    describe:
      "Default for calls no rule matches: default (calls that may change something need an approval), acceptEdits (changes of files run), plan (only reading runs), bypass (everything runs).",
  },
  {
    name: "--allow",
    aliases: [],
    kind: "string",
    value: "RULE",
    repeats: true,
    describe: "Run these calls without an approval, such as write or bash(git status *).",
  },
  {
    name: "--deny",
    aliases: [],
    kind: "string",
    value: "RULE",
    repeats: true,
    describe:
      "Refuse these calls, such as webfetch or notes__*. A tool that is refused completely is not listed.",
  },
];

export function readPolicyFlags(flags: ParsedFlags): PolicyFlags {
  return {
    // The parser has compared it with the table.
    mode: (flags.value("--mode") ?? "default") as PolicyFlags["mode"],
    allow: flags.list("--allow"),
    deny: flags.list("--deny"),
  };
}

/** For commands whose answer may be an image. */
export const SAVE_TO: Flag = {
  name: "--save-to",
  aliases: [],
  kind: "string",
  value: "FOLDER",
  describe: "Store images and other binary content here instead of in a new temporary folder.",
};

export function readSaveTo(flags: ParsedFlags): { readonly saveTo?: string } {
  const saveTo = flags.value("--save-to");
  return saveTo === undefined ? {} : { saveTo };
}

/** Seconds from above 0 to a limit. */
export function secondsUpTo(max: number): ValueRule {
  return {
    describe: `a number of seconds up to ${max}, for example 30`,
    isValid: (text) => Number(text) > 0 && Number(text) <= max,
  };
}

const DAY_SECONDS = 24 * 60 * 60;

export const TIMEOUT: Flag = {
  name: "--timeout",
  aliases: [],
  kind: "number",
  value: "SECONDS",
  describe: "Stop waiting for the answer after this time.",
  accepts: secondsUpTo(DAY_SECONDS),
};

export function readTimeout(flags: ParsedFlags): { readonly timeoutMs?: number } {
  const seconds = flags.number("--timeout");
  return seconds === undefined ? {} : { timeoutMs: Math.ceil(seconds * 1000) };
}

/** `--wait SECONDS`: what waits for servers differs from command to command. */
export function waitFlag(describe: string): Flag {
  return {
    name: "--wait",
    aliases: [],
    kind: "number",
    value: "SECONDS",
    describe,
    accepts: {
      describe: "a number of seconds from 0 to 600, for example 5",
      isValid: (text) => text.trim() !== "" && Number(text) >= 0 && Number(text) <= 600,
    },
  };
}

/** Absent if the flag is not given. */
export function readWait(flags: ParsedFlags): { readonly waitMs?: number } {
  const seconds = flags.number("--wait");
  return seconds === undefined ? {} : { waitMs: Math.round(seconds * 1000) };
}

/** The clients of `connect` and `mcp import`, as words of the command line. */
export const CLIENT_WORDS = [
  "claude-desktop",
  "claude-code",
  "cursor",
  "vscode",
  "windsurf",
  "codex",
  "gemini",
  "zed",
  "opencode",
] as const;

/** The one operand of a command, which must be a known word. */
export function oneWord<Word extends string>(
  flags: ParsedFlags,
  command: string,
  words: readonly Word[],
): Word | UsageProblem {
  const [word, surplus] = [...flags.operands, ...flags.afterEnd];
  if (word === undefined) return { problem: `${command} needs one of ${words.join(", ")}` };
  if (surplus !== undefined)
    return { problem: `${command} takes one word, not also ${JSON.stringify(surplus)}` };
  const known = words.find((each) => each === word);
  return (
    known ?? {
      problem: `${command} knows no ${JSON.stringify(word)}, only ${words.join(", ")}`,
      unknown: { word, known: words },
    }
  );
}
