import type { CommandTable } from "../command-spec.ts";
import { JSON_OUTPUT, readSources, SERVER_FLAGS, type ServerSources } from "./common-flags.ts";
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

export interface ServerToolRequest extends ToolRequest {
  readonly sources: ServerSources;
}

export interface WarmRequest {
  readonly sources: ServerSources;
}

export interface McpLookRequests {
  readonly "mcp list": ListServersRequest;
  readonly "mcp call": ServerToolRequest;
  readonly "mcp warm": WarmRequest;
}

/** The commands that use the configured servers and change nothing. */
export const MCP_LOOK_COMMANDS: CommandTable<McpLookRequests> = {
  "mcp list": {
    operands: "[SERVER …]",
    summary: "Connect to the configured servers, or only to those named; show their state and their tools.",
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
        describe: "Also show what failed servers wrote about the reason: up to three lines each.",
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
  "mcp call": {
    operands: "TOOL [name=value …]",
    summary: "Call a tool of a configured server. name:=json passes a value as JSON.",
    flags: [...CALL_FLAGS, ...SERVER_FLAGS],
    examples: [
      "indus mcp call units__convert amount=3 from=ft to=m --mcp servers.json",
      'indus mcp call notes__add --args {"text":"hello"} --json --mcp servers.json',
    ],
    read: (flags) => {
      const request = readToolRequest(flags, "mcp call");
      return "problem" in request ? request : { sources: readSources(flags), ...request };
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
