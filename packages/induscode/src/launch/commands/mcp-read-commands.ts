import { type GivenArgument, parseGivenArguments } from "../arguments/given-arguments.ts";
import type { CommandTable } from "../command-spec.ts";
import type { Flag } from "../flag-spec.ts";
import type { ParsedFlags } from "../parse-flags.ts";
import {
  JSON_OUTPUT,
  readSaveTo,
  readSources,
  SAVE_TO,
  SERVER_FLAGS,
  type ServerSources,
} from "./common-flags.ts";
import { readTimeout, TIMEOUT } from "./tool-commands.ts";

export interface ListItemsRequest {
  readonly sources: ServerSources;
  /** The servers to ask. Empty: all. */
  readonly names: readonly string[];
  readonly json: boolean;
}

/** What a request about one resource or prompt has. */
interface OneItem {
  readonly sources: ServerSources;
  /** The server that has it, if several do. */
  readonly server?: string;
  readonly json: boolean;
  readonly timeoutMs?: number;
  /** The folder for images and other binary content. */
  readonly saveTo?: string;
}

export interface ReadResourceRequest extends OneItem {
  readonly uri: string;
}

export interface GetPromptRequest extends OneItem {
  readonly prompt: string;
  readonly given: readonly GivenArgument[];
}

export interface McpReadRequests {
  readonly "mcp resources": ListItemsRequest;
  readonly "mcp read": ReadResourceRequest;
  readonly "mcp prompts": ListItemsRequest;
  readonly "mcp prompt": GetPromptRequest;
}

const SERVER: Flag = {
  name: "--server",
  aliases: [],
  kind: "string",
  value: "NAME",
  describe: "The server that has it, if several do.",
};

const LIST_FLAGS: readonly Flag[] = [JSON_OUTPUT, ...SERVER_FLAGS];
const ITEM_FLAGS: readonly Flag[] = [SERVER, JSON_OUTPUT, TIMEOUT, SAVE_TO, ...SERVER_FLAGS];

/** The commands that read what servers have beside tools. */
export const MCP_READ_COMMANDS: CommandTable<McpReadRequests> = {
  "mcp resources": {
    operands: "[SERVER …]",
    summary: "List the resources and resource templates of the configured servers, one line each.",
    flags: LIST_FLAGS,
    examples: ["indus mcp resources", "indus mcp resources docs --json"],
    read: readList,
  },
  "mcp read": {
    operands: "URI",
    summary: "Read a resource of a configured server. A pipe gets it unchanged, byte for byte.",
    flags: ITEM_FLAGS,
    examples: ["indus mcp read docs://intro", "indus mcp read docs://intro --server docs"],
    read: (flags) => {
      const [uri, surplus] = [...flags.operands, ...flags.afterEnd];
      if (uri === undefined) return { problem: "mcp read needs the URI of a resource" };
      if (surplus !== undefined)
        return { problem: `mcp read takes one URI, not also ${JSON.stringify(surplus)}` };
      return { uri, ...readItem(flags) };
    },
  },
  "mcp prompts": {
    operands: "[SERVER …]",
    summary: "List the prompts of the configured servers with their arguments, one line each.",
    flags: LIST_FLAGS,
    examples: ["indus mcp prompts"],
    read: readList,
  },
  "mcp prompt": {
    operands: "PROMPT [name=value …]",
    summary: "Fetch a prompt of a configured server and show its messages.",
    flags: ITEM_FLAGS,
    examples: ["indus mcp prompt docs__summarize topic=trust"],
    read: (flags) => {
      const [prompt, ...pairs] = [...flags.operands, ...flags.afterEnd];
      if (prompt === undefined) return { problem: "mcp prompt needs the name of a prompt" };
      const given = parseGivenArguments(pairs);
      return "problem" in given ? given : { prompt, ...given, ...readItem(flags) };
    },
  },
};

function readList(flags: ParsedFlags): ListItemsRequest {
  const names = [...flags.operands, ...flags.afterEnd];
  return { sources: readSources(flags), names, json: flags.has("--json") };
}

function readItem(flags: ParsedFlags): OneItem {
  const server = flags.value("--server");
  return {
    sources: readSources(flags),
    json: flags.has("--json"),
    ...(server === undefined ? {} : { server }),
    ...readTimeout(flags),
    ...readSaveTo(flags),
  };
}
