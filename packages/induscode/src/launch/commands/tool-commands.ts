import {
  type GivenArgument,
  parseArgumentObject,
  parseGivenArguments,
} from "../arguments/given-arguments.ts";
import type { CommandTable } from "../command-spec.ts";
import type { Flag } from "../flag-spec.ts";
import type { ParsedFlags } from "../parse-flags.ts";
import type { UsageProblem } from "../usage-problem.ts";
import { JSON_OUTPUT, readSources, SERVER_FLAGS, type ServerSources, secondsUpTo } from "./common-flags.ts";

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

/** What `call` and `mcp call` take. */
export const CALL_FLAGS: readonly Flag[] = [
  JSON_OUTPUT,
  {
    name: "--args",
    aliases: [],
    kind: "string",
    value: "JSON",
    describe: "The arguments as one JSON object, or - for standard input. name=value overrides a member.",
  },
  TIMEOUT,
  {
    name: "--no-check",
    aliases: [],
    kind: "boolean",
    describe: "Send the arguments without comparing them with the tool's schema.",
  },
];

export interface ToolsRequest {
  readonly json: boolean;
  readonly sources: ServerSources;
}

/** A call of one tool. */
export interface ToolRequest {
  readonly tool: string;
  readonly given: readonly GivenArgument[];
  /** Whether further arguments are read from standard input. Those in `given` override them. */
  readonly fromInput?: boolean;
  readonly json: boolean;
  /** Whether the arguments are compared with the tool's schema before they are sent. */
  readonly check: boolean;
  readonly timeoutMs?: number;
}

/** A call of a native tool, or of a tool of a configured server. */
export interface CallRequest extends ToolRequest {
  readonly sources: ServerSources;
}

export interface ToolCommandRequests {
  readonly tools: ToolsRequest;
  readonly call: CallRequest;
}

/** The commands about the native tools. */
export const TOOL_COMMANDS: CommandTable<ToolCommandRequests> = {
  tools: {
    summary:
      "List the native tools, and those that the configured servers offered when they were last listed. Starts nothing.",
    flags: [JSON_OUTPUT, ...SERVER_FLAGS],
    examples: ["indus tools", "indus tools --tools 'read,notes__*' --json"],
    read: (flags) => ({ json: flags.has("--json"), sources: readSources(flags) }),
  },
  call: {
    operands: "TOOL [name=value …]",
    summary:
      "Run a native tool in the current folder, or a tool of a configured server. name:=json passes a value as JSON.",
    flags: [...CALL_FLAGS, ...SERVER_FLAGS],
    examples: ["indus call read path=package.json limit=5", "indus call bash command=date --timeout 5"],
    read: (flags) => {
      const request = readToolRequest(flags, "call");
      return "problem" in request ? request : { ...request, sources: readSources(flags) };
    },
  },
};

/** The tool and its arguments. `command`: for messages. */
export function readToolRequest(flags: ParsedFlags, command: string): ToolRequest | UsageProblem {
  const [tool, ...pairs] = [...flags.operands, ...flags.afterEnd];
  if (tool === undefined) return { problem: `${command} needs the name of a tool` };
  const object = flags.value("--args");
  const fromInput = object === "-";
  const whole = object === undefined || fromInput ? { given: [] } : parseArgumentObject(object);
  if ("problem" in whole) return whole;
  const single = parseGivenArguments(pairs);
  if ("problem" in single) return single;
  return {
    tool,
    // A later argument overrides an earlier one of the same name.
    given: [...whole.given, ...single.given],
    ...(fromInput ? { fromInput } : {}),
    json: flags.has("--json"),
    check: !flags.has("--no-check"),
    ...readTimeout(flags),
  };
}
