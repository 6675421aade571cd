import type { CommandTable } from "../command-spec.ts";
import type { Flag } from "../flag-spec.ts";
import type { ParsedFlags } from "../parse-flags.ts";
import type { UsageProblem } from "../usage-problem.ts";
import { CLIENT_WORDS } from "./client-commands.ts";
import { CWD, JSON_OUTPUT, YES } from "./common-flags.ts";
import { readAddRequest, readJsonRow, type ServerRow } from "./server-row.ts";

/** Which file is changed. Without a scope and a file, a new server goes to the user's file. */
export interface EditTarget {
  readonly scope?: "project" | "user";
  /** The file that `--mcp` names. */
  readonly file?: string;
}

export interface AddRequest {
  readonly target: EditTarget;
  readonly name: string;
  readonly row: ServerRow;
}

export interface NameRequest {
  readonly target: EditTarget;
  readonly name: string;
}

export interface GetRequest extends NameRequest {
  readonly json: boolean;
}

export interface SwitchRequest extends NameRequest {
  readonly enable: boolean;
}

export interface ShownToolRequest {
  readonly target: EditTarget;
  readonly tool: string;
  /** Empty: as the server says. */
  readonly text: string;
}

export interface ImportRequest {
  readonly target: EditTarget;
  /** Ids of clients. Empty: all. */
  readonly clients: readonly string[];
  readonly yes: boolean;
  readonly json: boolean;
}

export interface TrustRequest {
  /** Empty: every server of the project that waits for a decision. */
  readonly names: readonly string[];
  readonly yes: boolean;
}

export interface UntrustRequest {
  readonly name: string;
}

export interface McpEditRequests {
  readonly "mcp add": AddRequest;
  readonly "mcp add-json": AddRequest;
  readonly "mcp remove": NameRequest;
  readonly "mcp get": GetRequest;
  readonly "mcp enable": SwitchRequest;
  readonly "mcp disable": SwitchRequest;
  readonly "mcp rename": ShownToolRequest;
  readonly "mcp describe": ShownToolRequest;
  readonly "mcp import": ImportRequest;
  readonly "mcp trust": TrustRequest;
  readonly "mcp untrust": UntrustRequest;
}

const SCOPE: Flag = {
  name: "--scope",
  aliases: [],
  kind: "string",
  value: "SCOPE",
  choices: ["project", "user"],
  describe: "The file to change: project (.indusvx/mcp.json) or user.",
  excludes: ["--mcp"],
};

const FILE: Flag = {
  name: "--mcp",
  aliases: [],
  kind: "string",
  value: "FILE",
  describe: "Change this file instead.",
};

const TARGET: readonly Flag[] = [SCOPE, FILE, CWD];

const ADD_FLAGS: readonly Flag[] = [
  {
    name: "--env",
    aliases: ["-e"],
    kind: "string",
    value: "NAME[=VALUE]",
    repeats: true,
    describe: "A variable for its process. Without =VALUE the file refers to your variable NAME.",
  },
  {
    name: "--header",
    aliases: [],
    kind: "string",
    value: '"NAME: VALUE"',
    repeats: true,
    describe: "A header for its URL. ${VARIABLE} in it stays a reference.",
  },
  ...TARGET,
];

/** The commands that change configuration. */
export const MCP_EDIT_COMMANDS: CommandTable<McpEditRequests> = {
  "mcp add": {
    operands: "NAME (URL | -- COMMAND [ARGUMENT …])",
    summary: "Add a server to your file, or to the project's. What you add is approved by that.",
    flags: ADD_FLAGS,
    examples: [
      "indus mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
      "indus mcp add sentry https://mcp.sentry.dev/mcp --scope project",
    ],
    read: (flags) =>
      withTarget(flags, (target) => withPart(readAddRequest(flags), (added) => ({ target, ...added }))),
  },
  "mcp add-json": {
    operands: "NAME JSON",
    summary: "Add a server whose row is given as JSON, in the form of any client.",
    flags: TARGET,
    examples: [`indus mcp add-json time '{"command":"uvx","args":["mcp-server-time"]}'`],
    read: (flags) =>
      withTarget(flags, (target) => withPart(readJsonRow(flags), (added) => ({ target, ...added }))),
  },
  "mcp remove": {
    operands: "NAME",
    summary: "Remove a server from the file that has it.",
    flags: TARGET,
    examples: ["indus mcp remove files"],
    read: (flags) => readName(flags, "mcp remove"),
  },
  "mcp get": {
    operands: "NAME",
    summary: "Show one server: its file, its approval and its launch, without secrets.",
    flags: [JSON_OUTPUT, ...TARGET],
    examples: ["indus mcp get files --json"],
    read: (flags) =>
      withPart(readName(flags, "mcp get"), (named) => ({ ...named, json: flags.has("--json") })),
  },
  "mcp enable": {
    operands: "(SERVER | TOOL)",
    summary: "Use a server again, or offer one of its tools again.",
    flags: TARGET,
    examples: ["indus mcp enable files"],
    read: (flags) => withPart(readName(flags, "mcp enable"), (named) => ({ ...named, enable: true })),
  },
  "mcp disable": {
    operands: "(SERVER | TOOL)",
    summary: "Keep a server in its file without starting it, or hide one of its tools.",
    flags: TARGET,
    examples: ["indus mcp disable files", "indus mcp disable files__write_file"],
    read: (flags) => withPart(readName(flags, "mcp disable"), (named) => ({ ...named, enable: false })),
  },
  "mcp rename": {
    operands: "TOOL NAME",
    summary: 'Show a tool under another name: SERVER__NAME. An empty name ("") restores its own.',
    flags: TARGET,
    examples: ["indus mcp rename files__write_file save"],
    read: (flags) => readShownTool(flags, "mcp rename", "a new name"),
  },
  "mcp describe": {
    operands: "TOOL TEXT",
    summary: 'Show a tool with another description. An empty text ("") restores its own.',
    flags: TARGET,
    examples: ["indus mcp describe files__write_file Saves_a_file."],
    read: (flags) => readShownTool(flags, "mcp describe", "a description"),
  },
  "mcp import": {
    operands: "[CLIENT …]",
    choices: CLIENT_WORDS,
    summary:
      "List the servers of other MCP clients and copy them into your file, after a question or with --yes. Their files are only read.",
    flags: [YES, JSON_OUTPUT, ...TARGET],
    examples: ["indus mcp import", "indus mcp import cursor codex --yes"],
    read: (flags) =>
      withTarget(flags, (target) => ({
        target,
        clients: [...flags.operands, ...flags.afterEnd],
        yes: flags.has("--yes"),
        json: flags.has("--json"),
      })),
  },
  "mcp trust": {
    operands: "[NAME …]",
    summary:
      "Show exactly what servers of this project start, and approve them after a question or with --yes. A changed launch needs a new approval.",
    flags: [YES, CWD],
    examples: ["indus mcp trust", "indus mcp trust files"],
    read: (flags) => ({ names: [...flags.operands, ...flags.afterEnd], yes: flags.has("--yes") }),
  },
  "mcp untrust": {
    operands: "NAME",
    summary: "Refuse a server of this project: it is not started until you trust it again.",
    flags: [CWD],
    examples: ["indus mcp untrust files"],
    read: (flags) => withPart(oneName(flags, "mcp untrust"), (name) => ({ name })),
  },
};

function readName(flags: ParsedFlags, command: string): NameRequest | UsageProblem {
  return withTarget(flags, (target) => withPart(oneName(flags, command), (name) => ({ target, name })));
}

function oneName(flags: ParsedFlags, command: string): string | UsageProblem {
  const [name, surplus] = [...flags.operands, ...flags.afterEnd];
  if (name === undefined || name === "") return { problem: `${command} needs a name` };
  return surplus === undefined
    ? name
    : { problem: `${command} takes one name, not also ${JSON.stringify(surplus)}` };
}

function readShownTool(flags: ParsedFlags, command: string, what: string): ShownToolRequest | UsageProblem {
  const [tool, ...words] = [...flags.operands, ...flags.afterEnd];
  if (tool === undefined || words.length === 0) return { problem: `${command} needs a tool and ${what}` };
  return withTarget(flags, (target) => ({ target, tool, text: words.join(" ").trim() }));
}

/** The file to change. Several files cannot be meant. */
function withTarget<Request extends object>(
  flags: ParsedFlags,
  read: (target: EditTarget) => Request | UsageProblem,
): Request | UsageProblem {
  const files = flags.list("--mcp");
  const [file] = files;
  if (files.length > 1) return { problem: "only one --mcp file can be changed at a time" };
  if (file !== undefined && /^https?:\/\//i.test(file))
    return { problem: "--mcp names the file to change here, not a URL" };
  const scope = flags.value("--scope") as EditTarget["scope"];
  return read({ ...(file === undefined ? {} : { file }), ...(scope === undefined ? {} : { scope }) });
}

/** Continues with a part of a request, unless it has a problem. */
function withPart<Part extends object | string, Request extends object>(
  part: Part | UsageProblem,
  read: (part: Part) => Request,
): Request | UsageProblem {
  return typeof part === "object" && "problem" in part ? part : read(part);
}
