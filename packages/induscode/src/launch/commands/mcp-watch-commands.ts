import type { CommandTable } from "../command-spec.ts";
import type { Flag } from "../flag-spec.ts";
import type { ParsedFlags } from "../parse-flags.ts";
import { CWD, JSON_OUTPUT, readSources, SERVER_FLAGS, type ServerSources } from "./common-flags.ts";

export interface WatchRequest {
  readonly sources: ServerSources;
  /** The servers to start. Empty: all. */
  readonly names: readonly string[];
  readonly json: boolean;
}

export interface LogRequest {
  /** Absent: all servers. */
  readonly server?: string;
  /** How many of the last lines to show. */
  readonly lines: number;
  /** Whether to go on and show what is added. */
  readonly follow: boolean;
  readonly json: boolean;
}

export interface McpWatchRequests {
  readonly "mcp doctor": WatchRequest;
  readonly "mcp watch": WatchRequest;
  readonly "mcp log": LogRequest;
}

const DEFAULT_LINES = 200;

const LINES: Flag = {
  name: "--lines",
  aliases: [],
  kind: "number",
  value: "COUNT",
  describe: `Show this many of the last lines. Default: ${DEFAULT_LINES}.`,
  accepts: {
    describe: "a whole number from 1 on",
    isValid: (text) => /^[1-9]\d{0,8}$/.test(text),
  },
};

function readWatch(flags: ParsedFlags): WatchRequest {
  const names = [...flags.operands, ...flags.afterEnd];
  return { sources: readSources(flags), names, json: flags.has("--json") };
}

/** The commands that show what servers do and what is wrong with them. */
export const MCP_WATCH_COMMANDS: CommandTable<McpWatchRequests> = {
  "mcp doctor": {
    operands: "[SERVER …]",
    summary:
      "Start the configured servers, or only those named, and explain what is wrong and what to do. Exits with 1 if a server failed, 3 for errors in files, 4 for servers that are not approved, 5 for logins.",
    flags: [JSON_OUTPUT, ...SERVER_FLAGS],
    examples: ["indus mcp doctor", "indus mcp doctor notes --json"],
    read: readWatch,
  },
  "mcp watch": {
    operands: "[SERVER …]",
    summary:
      "Start the configured servers and show their state until Ctrl-C: a table on a screen, otherwise one line for each change.",
    flags: [{ ...JSON_OUTPUT, describe: "Print one JSON object per line for each change." }, ...SERVER_FLAGS],
    examples: ["indus mcp watch", "indus mcp watch --json --mcp servers.json"],
    read: readWatch,
  },
  "mcp log": {
    operands: "[SERVER]",
    summary:
      "Show what servers of this folder wrote to standard error, the messages exchanged with them, and the changes of their state. Arguments and results are not kept.",
    flags: [
      LINES,
      {
        name: "--follow",
        aliases: ["-f"],
        kind: "boolean",
        describe: "Go on, and show what is added, until Ctrl-C.",
      },
      { ...JSON_OUTPUT, describe: "Print one JSON object per line." },
      CWD,
    ],
    examples: ["indus mcp log notes", "indus mcp log --follow"],
    read: (flags) => {
      const [server, surplus] = [...flags.operands, ...flags.afterEnd];
      if (surplus !== undefined)
        return { problem: `mcp log takes one server, not also ${JSON.stringify(surplus)}` };
      return {
        ...(server === undefined ? {} : { server }),
        lines: flags.number("--lines") ?? DEFAULT_LINES,
        follow: flags.has("--follow"),
        json: flags.has("--json"),
      };
    },
  },
};
