import type { Flag, ValueRule } from "./flag-spec.ts";
import { mainFlag } from "./flag-table.ts";
import type { ParsedFlags } from "./parse-flags.ts";
import { TOOL_NAMES } from "./tool-names.ts";
import type { UsageProblem } from "./usage-problem.ts";

// The flags that several commands take, and how they are read.

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
  describe: "Do not ask for confirmation.",
};

/** Every command takes these. */
export const EVERYWHERE: readonly Flag[] = [
  mainFlag("--help"),
  {
    name: "--no-color",
    aliases: [],
    kind: "boolean",
    describe: "Do not use colours, whatever the environment says.",
  },
];

/** Where a cluster is, and as whom it is used. */
export interface ClusterPlace {
  readonly urls: readonly string[];
  readonly creds?: string | undefined;
  readonly ca?: string | undefined;
  /** The secret that nodes of the cluster share. */
  readonly keyFile?: string | undefined;
}

const CLUSTER: Flag = {
  name: "--cluster",
  aliases: [],
  kind: "list",
  value: "URLS",
  describe: "The NATS servers of a cluster, such as nats://127.0.0.1:4222; tls:// on other machines.",
};

const CLUSTER_SIGN_IN: readonly Flag[] = [
  {
    name: "--cluster-creds",
    aliases: [],
    kind: "string",
    value: "FILE",
    describe:
      "Sign in to NATS with this file: its credentials, or JSON with user and password, token or nkey.",
  },
  {
    name: "--cluster-ca",
    aliases: [],
    kind: "string",
    value: "FILE",
    describe: "Trust the certificate authorities in this file for the connection to NATS.",
  },
];

/** The flags of a command that uses a cluster. `describe` says what it does with it. */
export function clusterFlags(describe: string, excludes: readonly string[] = []): readonly Flag[] {
  return [{ ...CLUSTER, describe, excludes }, ...CLUSTER_SIGN_IN];
}

/** The flags of a command that may also work on the state of a cluster, instead of this machine's. */
export function orOfCluster(flags: readonly Flag[]): readonly Flag[] {
  const here = flags
    .map(({ name }) => name)
    .filter((name) => ["--cwd", "--mcp", "--run", "--scope"].includes(name));
  return [...flags, ...clusterFlags("Use the state of this cluster instead: its NATS servers.", here)];
}

/** A secret of a cluster that is in no place where NATS could read it. */
export const KEY_FILE: Flag = {
  name: "--key-file",
  aliases: [],
  kind: "string",
  value: "FILE",
  describe:
    "With --cluster: a file with a secret of at least 32 bytes, the same for all gateways and workers.",
};

export function readCluster(flags: ParsedFlags): ClusterPlace | undefined {
  const urls = flags.list("--cluster");
  if (urls.length === 0) return undefined;
  return {
    urls,
    creds: flags.value("--cluster-creds"),
    ca: flags.value("--cluster-ca"),
    keyFile: flags.value(KEY_FILE.name),
  };
}

const RUN: Flag = {
  name: "--run",
  aliases: [],
  kind: "string",
  value: "COMMAND",
  repeats: true,
  describe: "Use a server that is in no file: a command line (run without a shell) or a URL.",
};

/** The flags of every command that uses servers. */
export const SERVER_FLAGS: readonly Flag[] = [
  ...[MCP, RUN, CWD],
  {
    ...mainFlag("--tools"),
    accepts: TOOL_NAMES,
    describe: "Offer only these native tools. Names with __ select tools of servers, and may contain *.",
  },
  mainFlag("--no-tools"),
];

/** Which tools are offered. */
export interface ToolSelection {
  /** The words of `--tools`, see `selectTools`. Empty: no filter. */
  readonly tools: readonly string[];
  /** Offer nothing and start no server. */
  readonly noTools: boolean;
}

/** Where servers come from. Empty: the folder's and the user's files. */
export interface ServerSources extends Partial<ToolSelection> {
  /** Files, folders and URLs. Naming a file or URL here approves it. */
  readonly mcp: readonly string[];
  /** Command lines or URLs of servers that are in no file. */
  readonly run: readonly string[];
  /** Who chose `tools`, for messages. Default: `--tools`. */
  readonly toolsSaidBy?: string;
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

/** Whether a source on the command line is the URL of a server. */
export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * `all`: every tool. `search`: a few, and a search for the others. `auto`: the search, for clients that cannot take all. `code`: a search
 * for functions, and a tool that runs programs with them.
 */
const TOOLS_LISTINGS = ["all", "search", "auto", "code"] as const;
export type ToolsListing = (typeof TOOLS_LISTINGS)[number];

function isListing(word: string): word is ToolsListing {
  return TOOLS_LISTINGS.some((listing) => listing === word);
}

/** `--tools`, where one word may also say how tools are listed: no tool has such a name. */
export const LISTED_TOOLS: Flag = {
  ...mainFlag("--tools"),
  value: "HOW",
  describe:
    "How tools are listed: all (the default), search (a few, and a search for the others), auto (search, for clients that cannot take all) or code (a search, and programs that call tools). Other words select tools as elsewhere: search,read,notes__*.",
  accepts: {
    describe: `${TOOLS_LISTINGS.join(", ")}, and ${TOOL_NAMES.describe}`,
    known: [...TOOLS_LISTINGS, ...(TOOL_NAMES.known ?? [])],
    isValid: (word) => isListing(word) || TOOL_NAMES.isValid(word),
  },
};

interface ListedToolsWords {
  /** How tools are listed, if a word says so. */
  readonly listing?: ToolsListing | undefined;
  /** The words that select tools. */
  readonly names: readonly string[];
}

/** Separates the two kinds of words of `LISTED_TOOLS`. */
export function readListedTools(words: readonly string[]): ListedToolsWords | UsageProblem {
  const [listing, another] = new Set(words.filter(isListing));
  if (another !== undefined) return { problem: `--tools ${listing},${another}: choose one of them` };
  const names = words.filter((word) => !isListing(word));
  return { names, listing };
}

/** `read-only`: tools that change nothing. `full`: all native tools. `all`: the app cards too. `none`: only those of servers. */
export const SERVE_PROFILES = ["read-only", "full", "all", "none"] as const;
export type ServeProfile = (typeof SERVE_PROFILES)[number];

/** The default for calls that no rule matches. */
const MODES = ["default", "acceptEdits", "plan", "bypass"] as const;

/** The parts of a policy. Its rules are not parsed yet. */
export interface PolicyFlags {
  readonly mode: (typeof MODES)[number];
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** The flags of every command that runs calls for others. */
export const POLICY_FLAGS: readonly Flag[] = [
  {
    name: "--mode",
    aliases: [],
    kind: "string",
    value: "MODE",
    choices: MODES,
    describe:
      "Default for calls no rule matches: default (calls that may change something need approval), acceptEdits (allow file edits), plan (allow only reading), bypass (allow everything).",
  },
  {
    name: "--allow",
    aliases: [],
    kind: "string",
    value: "RULE",
    repeats: true,
    describe: "Run matching calls without approval, such as write or bash(git status *).",
  },
  {
    name: "--deny",
    aliases: [],
    kind: "string",
    value: "RULE",
    repeats: true,
    describe:
      "Refuse matching calls, such as webfetch or notes__*. Tools that are refused completely are not listed.",
  },
];

export function readPolicyFlags(flags: ParsedFlags): PolicyFlags {
  return {
    // The parser has checked it against the table.
    mode: (flags.value("--mode") ?? "default") as PolicyFlags["mode"],
    allow: flags.list("--allow"),
    deny: flags.list("--deny"),
  };
}

/** For commands whose result may be an image. */
export const SAVE_TO: Flag = {
  name: "--save-to",
  aliases: [],
  kind: "string",
  value: "FOLDER",
  describe: "Save images and other binary content here instead of in a new temporary folder.",
};

export function readSaveTo(flags: ParsedFlags): { readonly saveTo?: string } {
  const saveTo = flags.value("--save-to");
  return saveTo === undefined ? {} : { saveTo };
}

/** Seconds, above 0 and up to a limit. */
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

/** `--wait SECONDS`. What waits for servers differs between commands. */
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

/** The names that `indus completion` lists for its scripts: of this folder's servers, and of their known tools. */
export const NAME_KINDS = ["servers", "tools"] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** The only operand of a command, which must be a known word. */
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
      problem: `${command} does not know ${JSON.stringify(word)}, only ${words.join(", ")}`,
      unknown: { word, known: words },
    }
  );
}
