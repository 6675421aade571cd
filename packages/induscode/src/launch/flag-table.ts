/** What a flag takes: nothing, one text, one number, or one text each time it is given. */
type FlagKind = "boolean" | "string" | "number" | "list";

/** The heading of the help under which a flag is listed. */
type FlagGroup = "Output" | "Context" | "Tools" | "Server" | "Meta";

/** The words that select a command. Empty: `indus` without a command. */
export type CommandName = "" | "tools" | "call" | "mcp list" | "mcp call" | "mcp warm" | "serve" | "help";

/** One flag of one or several commands. */
export interface FlagSpec {
  /** With its dashes, e.g. `--mcp`. */
  readonly name: string;
  /** Other spellings, e.g. `-h`. */
  readonly aliases: readonly string[];
  readonly kind: FlagKind;
  readonly group: FlagGroup;
  readonly describe: string;
  /** What the help shows in place of the value. Every kind but `boolean` has one. */
  readonly value?: string;
  /** The commands that take it. */
  readonly commands: readonly CommandName[];
  /** Those of `commands` that refuse to run without it. */
  readonly requiredBy?: readonly CommandName[];
  /** Flags that cannot be given together with this one. */
  readonly excludes?: readonly string[];
  /** The numbers that a flag of kind `number` accepts. */
  readonly accepts?: NumberRule;
}

interface NumberRule {
  readonly describe: string;
  isValid(text: string): boolean;
}

export interface CommandSpec {
  readonly name: CommandName;
  readonly summary: string;
  /** What follows the name and is not a flag, as the help shows it. Absent: nothing may follow. */
  readonly operands?: string;
  /** Complete command lines for its help. */
  readonly examples?: readonly string[];
  /** At least one of these flags must be given. */
  readonly needsOneOf?: readonly string[];
}

const DAY_SECONDS = 24 * 60 * 60;

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  { name: "", summary: "List the native tools, like indus tools." },
  { name: "tools", summary: "List the native tools.", examples: ["indus tools --json"] },
  {
    name: "call",
    operands: "TOOL [name=value …]",
    summary: "Run a native tool in the current folder. name:=json passes a value as JSON.",
    examples: ["indus call read path=package.json limit=5", "indus call bash command=date --timeout 5"],
  },
  {
    name: "mcp list",
    operands: "[SERVER …]",
    summary: "Connect to the configured servers, or only to those named; show their state and their tools.",
    examples: ["indus mcp list --mcp servers.json", "indus mcp list notes units --mcp servers.json"],
  },
  {
    name: "mcp call",
    operands: "TOOL [name=value …]",
    summary: "Call a tool of a configured server. name:=json passes a value as JSON.",
    examples: [
      "indus mcp call units__convert amount=3 from=ft to=m --mcp servers.json",
      'indus mcp call notes__add --args {"text":"hello"} --json --mcp servers.json',
    ],
  },
  {
    name: "mcp warm",
    summary:
      "Start every configured server once and end it again, so that later starts find their packages installed. Exits with 1 if any server failed.",
    examples: ["indus mcp warm --mcp servers.json"],
  },
  {
    name: "serve",
    needsOneOf: ["--stdio", "--port", "--demo"],
    summary:
      "Run an MCP server with the native read-only tools and the tools of all configured servers. Over stdio it stops when the process that started it ends; at a port it runs on.",
    examples: ["indus serve --stdio --mcp servers.json", "indus serve --port 7717 --mcp servers.json"],
  },
  {
    name: "help",
    operands: "[COMMAND]",
    summary: "Show this help, or the help of one command.",
    examples: ["indus help mcp call"],
  },
];

/** Every flag, in the order of the help. The parser and the help are both made from these rows. */
export const FLAGS: readonly FlagSpec[] = [
  {
    name: "--json",
    aliases: [],
    kind: "boolean",
    group: "Output",
    describe: "Print JSON instead of text.",
    commands: ["tools", "call", "mcp list", "mcp call"],
  },
  {
    name: "--mcp",
    aliases: [],
    kind: "list",
    group: "Tools",
    value: "FILE",
    describe: "Start the servers in this configuration file. Can be given several times.",
    commands: ["mcp list", "mcp call", "mcp warm", "serve"],
    requiredBy: ["mcp list", "mcp call", "mcp warm"],
  },
  {
    name: "--exit-code",
    aliases: [],
    kind: "boolean",
    group: "Output",
    describe: "Exit with 1 if any server failed, not only if none works.",
    commands: ["mcp list"],
  },
  {
    name: "--verbose",
    aliases: [],
    kind: "boolean",
    group: "Output",
    describe: "Also show what failed servers wrote about the reason: up to three lines each.",
    commands: ["mcp list"],
  },
  {
    name: "--args",
    aliases: [],
    kind: "string",
    group: "Tools",
    value: "JSON",
    describe: "The arguments as one JSON object. name=value overrides a member.",
    commands: ["call", "mcp call"],
  },
  {
    name: "--timeout",
    aliases: [],
    kind: "number",
    group: "Tools",
    value: "SECONDS",
    describe: "Stop waiting for the answer after this time.",
    commands: ["call", "mcp call"],
    accepts: {
      describe: `a number of seconds up to ${DAY_SECONDS}, for example 30`,
      isValid: (text) => Number(text) > 0 && Number(text) <= DAY_SECONDS,
    },
  },
  {
    name: "--no-check",
    aliases: [],
    kind: "boolean",
    group: "Tools",
    describe: "Send the arguments without comparing them with the tool's schema.",
    commands: ["call", "mcp call"],
  },
  {
    name: "--stdio",
    aliases: [],
    kind: "boolean",
    group: "Server",
    describe: "Serve over standard input and output.",
    commands: ["serve"],
    excludes: ["--port", "--host", "--token-env"],
  },
  {
    name: "--port",
    aliases: [],
    kind: "number",
    group: "Server",
    value: "N",
    describe: "Serve at http://HOST:N/mcp. 0 picks a free port.",
    commands: ["serve"],
    accepts: {
      describe: "a whole number from 0 to 65535",
      isValid: (text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535,
    },
  },
  {
    name: "--host",
    aliases: [],
    kind: "string",
    group: "Server",
    value: "HOST",
    describe: "Listen on this address instead of 127.0.0.1. Other machines need a token.",
    commands: ["serve"],
  },
  {
    name: "--token-env",
    aliases: [],
    kind: "string",
    group: "Server",
    value: "VAR",
    describe: "Require the bearer token that this environment variable holds.",
    commands: ["serve"],
  },
  {
    name: "--wait",
    aliases: [],
    kind: "number",
    group: "Server",
    value: "SECONDS",
    describe: "The longest wait of a client's first tools/list for servers that start.",
    commands: ["serve"],
    accepts: {
      describe: "a number of seconds from 0 to 600, for example 5",
      isValid: (text) => text.trim() !== "" && Number(text) >= 0 && Number(text) <= 600,
    },
  },
  {
    name: "--with-parent",
    aliases: [],
    kind: "boolean",
    group: "Server",
    describe: "Stop when the process that started it ends, also with --port.",
    commands: ["serve"],
  },
  {
    name: "--demo",
    aliases: [],
    kind: "boolean",
    group: "Server",
    describe: "Add three example servers and show how to connect clients. This machine only.",
    commands: ["serve"],
    excludes: ["--host", "--token-env"],
  },
  {
    name: "--cwd",
    aliases: [],
    kind: "string",
    group: "Context",
    value: "DIR",
    describe: "The folder in which the native tools work. Default: the current folder.",
    commands: ["serve"],
  },
  {
    name: "--help",
    aliases: ["-h"],
    kind: "boolean",
    group: "Meta",
    describe: "Show the help of a command. Every command takes it.",
    commands: [""],
  },
  {
    name: "--version",
    aliases: ["-v"],
    kind: "boolean",
    group: "Meta",
    describe: "Print the version.",
    commands: [""],
  },
];

/** The commands of a topic: one command, or all of a family such as `mcp`. Empty if there is none. */
export function commandsIn(topic: string): readonly CommandSpec[] {
  return COMMANDS.filter(({ name }) => name === topic || (topic !== "" && name.startsWith(`${topic} `)));
}

/** The flags that a command takes. */
export function flagsOf(command: CommandName): readonly FlagSpec[] {
  return FLAGS.filter(({ commands }) => commands.includes(command));
}

/** A flag with the place of its value, e.g. `--mcp FILE`. */
export function flagForm({ name, value }: FlagSpec): string {
  return value === undefined ? name : `${name} ${value}`;
}
