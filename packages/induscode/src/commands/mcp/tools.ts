import type { ServerConfig } from "indusagi/interop";
import { estimateToolTokens, exampleArguments, type ToolDescriptor, toolSignature } from "indusagi/llm";
import { createToolIndex } from "indusagi/runtime";
import type { Run } from "../../boot/internal.ts";
import { callWords } from "../../launch/arguments/index.ts";
import {
  type CommandSpec,
  JSON_OUTPUT,
  readSources,
  SERVER_FLAGS,
  type ServerSources,
} from "../../launch/internal.ts";
import {
  fullSchema,
  type OutlinedTool,
  shellLine,
  showJson,
  showToolLines,
  showToolOutlines,
} from "../../screen/index.ts";
import { reportFailures, startServers } from "./start-servers.ts";

interface ServerToolsRequest {
  readonly sources: ServerSources;
  /** The servers to show in detail. Empty: one line for each tool of all servers. */
  readonly names: readonly string[];
  readonly json: boolean;
  /** Whether the schemas are shown in full. */
  readonly schema: boolean;
  /** Words that the tools must match. */
  readonly search?: string | undefined;
}

export const MCP_TOOLS: CommandSpec<ServerToolsRequest> = {
  name: "mcp tools",
  group: "everyday",
  operands: "[SERVER …]",
  summary:
    "List the tools of the configured servers, one line each. For named servers, show typed signatures, each with an example call.",
  flags: [
    JSON_OUTPUT,
    { name: "--schema", aliases: [], kind: "boolean", describe: "Show the schemas in full." },
    {
      name: "--search",
      aliases: [],
      kind: "string",
      value: "WORDS",
      describe: "Show the tools that best match these words, best first.",
    },
    ...SERVER_FLAGS,
  ],
  examples: ["indus mcp tools", "indus mcp tools notes --schema", "indus mcp tools --search convert"],
  read: (flags) => {
    return {
      sources: readSources(flags),
      names: [...flags.operands, ...flags.afterEnd],
      json: flags.has("--json"),
      schema: flags.has("--schema"),
      search: flags.value("--search"),
    };
  },
};

/** `indus mcp tools`: one line per tool; for the servers named, signatures with example calls. */
export async function mcpTools(run: Run, request: ServerToolsRequest): Promise<number> {
  const { terminal, report } = run;
  const { sources, names, json, schema, search } = request;
  const started = await startServers(run, { sources, names });
  if (!started) return 1;
  const all = started.servers.box.descriptors();
  const tools = search === undefined ? all : await bestMatches(all, search);
  const outlined = (): Promise<OutlinedTool[]> =>
    Promise.all(
      tools.map(async (tool) => ({
        tool,
        newName: newNameOf(tool, started.found.configs),
        example: await exampleCall(tool, { sources, cwd: run.cwd }),
      })),
    );
  if (json) terminal.out(showJson((await outlined()).map(plainTool)));
  else if (names.length > 0 || schema)
    terminal.out(showToolOutlines(await outlined(), { schema, look: terminal.outLook ?? {} }));
  else terminal.out(showToolLines(tools, terminal.outLook));
  const code = reportFailures(run, started.servers);
  if (code === 0 && tools.length === 0 && search !== undefined) {
    report(`no tool matches ${JSON.stringify(search)}; indus mcp tools lists all ${all.length}`);
    return 1;
  }
  return code;
}

const MAX_MATCHES = 20;

async function bestMatches(
  tools: readonly ToolDescriptor[],
  words: string,
): Promise<readonly ToolDescriptor[]> {
  return (await createToolIndex(tools)).search(words, { limit: MAX_MATCHES });
}

/** The name that a row gives a tool. Undefined if it keeps its own. */
function newNameOf({ origin }: ToolDescriptor, configs: readonly ServerConfig[]): string | undefined {
  const { toolOverrides = {} } = configs.find(({ id }) => id === origin?.server) ?? {};
  return origin && Object.hasOwn(toolOverrides, origin.tool) ? toolOverrides[origin.tool]?.name : undefined;
}

/** A command line that calls a tool with the same server flags. Undefined if no arguments were found that fit its schema. */
async function exampleCall(tool: ToolDescriptor, place: ExamplePlace): Promise<string | undefined> {
  const args = await exampleArguments(tool.parameters);
  if (!args) return undefined;
  const words = callWords(tool.parameters, args);
  const isObject = words[0] === "--args";
  const flags = [...(isObject ? words : []), ...placeWords(place)];
  const operands = [tool.name, ...(isObject ? [] : words)];
  // A name that looks like a flag must follow all flags.
  const isHidden = tool.name.startsWith("-");
  return shellLine([
    "indus",
    "mcp",
    "call",
    ...(isHidden ? [...flags, "--", ...operands] : [...operands, ...flags]),
  ]);
}

interface ExamplePlace {
  readonly sources: ServerSources;
  /** The workspace. */
  readonly cwd: string;
}

function placeWords({ sources: { mcp, run }, cwd }: ExamplePlace): readonly string[] {
  return [
    ...mcp.flatMap((source) => ["--mcp", source]),
    ...run.flatMap((command) => ["--run", command]),
    ...(cwd === process.cwd() ? [] : ["--cwd", cwd]),
  ];
}

function plainTool({ tool, example }: OutlinedTool): object {
  const { name, title, description, annotations, origin } = tool;
  return {
    name,
    ...origin,
    title,
    description,
    signature: toolSignature(tool),
    example,
    estimatedTokens: estimateToolTokens(tool),
    annotations,
    ...fullSchema(tool),
  };
}
