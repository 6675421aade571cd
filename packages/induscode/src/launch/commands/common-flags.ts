import type { Flag, ValueRule } from "../flag-spec.ts";
import { mainFlag } from "../flag-table.ts";
import type { ParsedFlags } from "../parse-flags.ts";

/** Flags that several families of commands take. */

export const MCP: Flag = mainFlag("--mcp");
export const CWD: Flag = mainFlag("--cwd");

/** Which tools a command offers. */
const TOOL_FLAGS: readonly Flag[] = [mainFlag("--tools"), mainFlag("--no-tools")];

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

const RUN: Flag = {
  name: "--run",
  aliases: [],
  kind: "string",
  value: "COMMAND",
  repeats: true,
  describe: "Use a server that no file names: its command line (run without a shell) or its URL.",
};

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

/** What every command that uses servers takes. */
export const SERVER_FLAGS: readonly Flag[] = [MCP, RUN, CWD, ...TOOL_FLAGS];

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

/** Which tools are offered. */
export interface ToolSelection {
  /** The words of `--tools`, see `selectTools`. Empty: no filter. */
  readonly tools: readonly string[];
  /** Offer nothing and start no server. */
  readonly noTools: boolean;
}

function readSelection(flags: ParsedFlags): ToolSelection {
  return { tools: flags.list("--tools"), noTools: flags.has("--no-tools") };
}

/** Where servers come from. Nothing given: the files of the folder and of the user. */
export interface ServerSources extends Partial<ToolSelection> {
  /** Files, folders and URLs. A file or URL that is named here is approved by that. */
  readonly mcp: readonly string[];
  /** Command lines or URLs of servers that no file names. */
  readonly run: readonly string[];
}

export function readSources(flags: ParsedFlags): ServerSources {
  const { tools, noTools } = readSelection(flags);
  return {
    mcp: flags.list("--mcp"),
    run: flags.list("--run"),
    ...(tools.length > 0 ? { tools } : {}),
    ...(noTools ? { noTools } : {}),
  };
}

/** Seconds from above 0 to a limit. */
export function secondsUpTo(max: number): ValueRule {
  return {
    describe: `a number of seconds up to ${max}, for example 30`,
    isValid: (text) => Number(text) > 0 && Number(text) <= max,
  };
}
