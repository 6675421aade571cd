import { exampleArguments, type ToolDescriptor } from "indusagi/llm";
import { callWords } from "../../launch/arguments/index.ts";
import type { ServerSources } from "../../launch/internal.ts";
import { shellLine } from "../../screen/index.ts";

/** How the present command found its servers, so that an example finds them too. */
export interface ExamplePlace {
  readonly sources: ServerSources;
  /** The workspace. */
  readonly cwd: string;
}

/** A command line that calls a tool. Undefined if no arguments that fit its schema were found. */
export async function exampleCall(tool: ToolDescriptor, place: ExamplePlace): Promise<string | undefined> {
  const args = await exampleArguments(tool.parameters);
  if (!args) return undefined;
  const words = callWords(tool.parameters, args);
  const isObject = words[0] === "--args";
  const flags = [...(isObject ? words : []), ...placeWords(place)];
  const operands = [tool.name, ...(isObject ? [] : words)];
  // A name that looks like a flag must stand behind all flags.
  const isHidden = tool.name.startsWith("-");
  return shellLine([
    "indus",
    "mcp",
    "call",
    ...(isHidden ? [...flags, "--", ...operands] : [...operands, ...flags]),
  ]);
}

function placeWords({ sources: { mcp, run }, cwd }: ExamplePlace): readonly string[] {
  return [
    ...mcp.flatMap((source) => ["--mcp", source]),
    ...run.flatMap((command) => ["--run", command]),
    ...(cwd === process.cwd() ? [] : ["--cwd", cwd]),
  ];
}
