import type { CommandTable } from "../command-spec.ts";
import {
  JSON_OUTPUT,
  readSaveTo,
  readSources,
  SAVE_TO,
  SERVER_FLAGS,
  type ServerSources,
} from "./common-flags.ts";
import { CALL_FLAGS, readToolRequest, type ToolRequest } from "./tool-commands.ts";

export interface ListServersRequest {
  readonly sources: ServerSources;
  /** The servers to start. Empty: all. */
  readonly names: readonly string[];
  readonly json: boolean;
  /** Whether one failed server is enough for exit code 1. */
  readonly exitCode: boolean;
  /** Whether the lines that say why a server failed are shown below the tables. */
  readonly verbose: boolean;
}

export interface ServerToolsRequest {
  readonly sources: ServerSources;
  /** The servers whose tools are shown in detail. Empty: one line for each tool of all servers. */
  readonly names: readonly string[];
  readonly json: boolean;
  /** Whether the schemas are shown in full. */
  readonly schema: boolean;
  /** Words that the tools must match. */
  readonly search?: string;
}

export interface ServerToolRequest extends ToolRequest {
  readonly sources: ServerSources;
  /** The folder for images and other binary content. */
  readonly saveTo?: string;
}

export interface WarmRequest {
  readonly sources: ServerSources;
}

export interface McpLookRequests {
  readonly "mcp list": ListServersRequest;
  readonly "mcp tools": ServerToolsRequest;
  readonly "mcp call": ServerToolRequest;
  readonly "mcp warm": WarmRequest;
}

/** The commands that use the configured servers and change nothing. */
export const MCP_LOOK_COMMANDS: CommandTable<McpLookRequests> = {
  "mcp list": {
    operands: "[SERVER …]",
    summary:
      "Connect to the configured servers, or only to those named; show where each comes from, its state, and what its tools cost.",
    flags: [
      JSON_OUTPUT,
      {
        name: "--exit-code",
        aliases: [],
        kind: "boolean",
        describe: "Exit with 1 if any server failed, not only if none works.",
      },
      {
        name: "--verbose",
        aliases: [],
        kind: "boolean",
        describe: "Also show the time of each start, and up to three lines that failed servers wrote.",
      },
      ...SERVER_FLAGS,
    ],
    examples: ["indus mcp list", "indus mcp list notes units --mcp servers.json"],
    read: (flags) => ({
      sources: readSources(flags),
      names: [...flags.operands, ...flags.afterEnd],
      json: flags.has("--json"),
      exitCode: flags.has("--exit-code"),
      verbose: flags.has("--verbose"),
    }),
  },
  "mcp tools": {
    operands: "[SERVER …]",
    summary:
      "List the tools of the configured servers, one line each. For the servers named: typed signatures, each with an example call.",
    flags: [
      JSON_OUTPUT,
      { name: "--schema", aliases: [], kind: "boolean", describe: "Show the schemas in full." },
      {
        name: "--search",
        aliases: [],
        kind: "string",
        value: "WORDS",
        describe: "Show the tools that match these words best, the best first.",
      },
      ...SERVER_FLAGS,
    ],
    examples: ["indus mcp tools", "indus mcp tools notes --schema", "indus mcp tools --search convert"],
    read: (flags) => {
      const search = flags.value("--search");
      return {
        sources: readSources(flags),
        names: [...flags.operands, ...flags.afterEnd],
        json: flags.has("--json"),
        schema: flags.has("--schema"),
        ...(search === undefined ? {} : { search }),
      };
    },
  },
  "mcp call": {
    operands: "TOOL [name=value …]",
    summary: "Call a tool of a configured server. name:=json passes a value as JSON.",
    flags: [...CALL_FLAGS, SAVE_TO, ...SERVER_FLAGS],
    examples: [
      "indus mcp call units__convert amount=3 from=ft to=m --mcp servers.json",
      `indus mcp call notes__add --args '{"text":"hello"}' --json --mcp servers.json`,
    ],
    read: (flags) => {
      const request = readToolRequest(flags, "mcp call");
      return "problem" in request
        ? request
        : { sources: readSources(flags), ...readSaveTo(flags), ...request };
    },
  },
  "mcp warm": {
    summary:
      "Start every configured server once and end it again, so that later starts find their packages installed. Exits with 1 if any server failed.",
    flags: SERVER_FLAGS,
    examples: ["indus mcp warm", "indus mcp warm --mcp servers.json"],
    read: (flags) => ({ sources: readSources(flags) }),
  },
};
