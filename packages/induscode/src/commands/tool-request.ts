import type { Run } from "../boot/internal.ts";
import {
  type Flag,
  type GivenArgument,
  isObjectWord,
  JSON_OUTPUT,
  type ParsedFlags,
  parseArgumentObject,
  parseGivenArguments,
  readTimeout,
  TIMEOUT,
  type UsageProblem,
} from "../launch/internal.ts";
import { readInput } from "../screen/terminal/index.ts";

/** A call of one tool, as `call` and `mcp call` take it. */
export interface ToolRequest {
  readonly tool: string;
  /** The server, if it is a word of its own. */
  readonly server?: string | undefined;
  readonly given: readonly GivenArgument[];
  /** Whether to read more arguments from standard input. Those in `given` override them. */
  readonly fromInput?: boolean | undefined;
  readonly json: boolean;
  /** Whether to check the arguments against the tool's schema before sending them. */
  readonly check: boolean;
  readonly timeoutMs?: number;
}

export const CALL_FLAGS: readonly Flag[] = [
  JSON_OUTPUT,
  {
    name: "--args",
    aliases: [],
    kind: "string",
    value: "JSON",
    describe:
      "The arguments as one JSON object, or - to read it from standard input. name=value overrides a member.",
  },
  TIMEOUT,
  {
    name: "--no-check",
    aliases: [],
    kind: "boolean",
    describe: "Send the arguments without checking them against the tool's schema.",
  },
];

interface ToolReader {
  /** For messages. */
  readonly command: string;
  /** Whether the server may be a word before the tool. */
  readonly takesServer?: boolean;
}

/** Reads the tool and its arguments. */
export function readToolRequest(
  flags: ParsedFlags,
  { command, takesServer = false }: ToolReader,
): ToolRequest | UsageProblem {
  const words = [...flags.operands, ...flags.afterEnd];
  const [, second = "="] = words;
  const hasServer = takesServer && !second.includes("=") && !isObjectWord(second);
  const server = hasServer ? words[0] : undefined;
  const [tool, ...pairs] = hasServer ? words.slice(1) : words;
  if (tool === undefined || (takesServer && tool.includes("=")))
    return { problem: `${command} needs the name of a tool` };
  const object = flags.value("--args");
  const fromInput = object === "-";
  const whole = object === undefined || fromInput ? { given: [] } : parseArgumentObject(object);
  if ("problem" in whole) return whole;
  const single = parseGivenArguments(pairs);
  if ("problem" in single) return single;
  return {
    tool,
    server,
    // A later argument overrides an earlier one of the same name.
    given: [...whole.given, ...single.given],
    fromInput,
    json: flags.has("--json"),
    check: !flags.has("--no-check"),
    ...readTimeout(flags),
  };
}

/** The arguments of a call, with those from standard input. If these are unusable, reports that and returns undefined. */
export async function givenInput(
  run: Run,
  { given, fromInput }: Pick<ToolRequest, "given" | "fromInput">,
): Promise<readonly GivenArgument[] | undefined> {
  if (!fromInput) return given;
  const parsed = parseArgumentObject(await readInput(run.signal));
  if (!("problem" in parsed)) return [...parsed.given, ...given];
  run.report("--args - needs one JSON object on standard input");
  return undefined;
}
