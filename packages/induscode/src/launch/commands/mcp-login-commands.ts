import type { CommandTable } from "../command-spec.ts";
import type { ParsedFlags } from "../parse-flags.ts";
import type { UsageProblem } from "../usage-problem.ts";
import { readSources, SERVER_FLAGS, type ServerSources, secondsUpTo } from "./common-flags.ts";

export interface LogoutRequest {
  readonly sources: ServerSources;
  readonly server: string;
}

export interface LoginRequest extends LogoutRequest {
  /** False: the address is only shown. */
  readonly useBrowser: boolean;
  /** How long to wait for the user, in milliseconds. */
  readonly timeoutMs: number;
}

export interface McpLoginRequests {
  readonly "mcp login": LoginRequest;
  readonly "mcp logout": LogoutRequest;
}

const DEFAULT_SECONDS = 300;
const MAX_SECONDS = 3600;

/** The commands that log in to servers behind HTTP. */
export const MCP_LOGIN_COMMANDS: CommandTable<McpLoginRequests> = {
  "mcp login": {
    operands: "SERVER",
    summary:
      "Log in to a server that requires it. Opens the browser; on a machine without one, paste the address that the browser ended at.",
    flags: [
      {
        name: "--no-browser",
        aliases: [],
        kind: "boolean",
        describe: "Only show the address, and open no browser.",
      },
      {
        name: "--timeout",
        aliases: [],
        kind: "number",
        value: "SECONDS",
        describe: `Wait this long for you to log in. Default: ${DEFAULT_SECONDS}.`,
        accepts: secondsUpTo(MAX_SECONDS),
      },
      ...SERVER_FLAGS,
    ],
    examples: ["indus mcp login notes", "indus mcp login notes --no-browser"],
    read: (flags) => {
      const request = readServer(flags, "mcp login");
      if ("problem" in request) return request;
      const seconds = flags.number("--timeout") ?? DEFAULT_SECONDS;
      return { ...request, useBrowser: !flags.has("--no-browser"), timeoutMs: seconds * 1000 };
    },
  },
  "mcp logout": {
    operands: "SERVER",
    summary: "Forget the login to a server, and end it at the authorization server if that can be told.",
    flags: SERVER_FLAGS,
    examples: ["indus mcp logout notes"],
    read: (flags) => readServer(flags, "mcp logout"),
  },
};

function readServer(flags: ParsedFlags, command: string): LogoutRequest | UsageProblem {
  const [server, ...others] = [...flags.operands, ...flags.afterEnd];
  if (server === undefined || others.length > 0)
    return { problem: `${command}: name one server, for example: indus ${command} notes` };
  return { sources: readSources(flags), server };
}
