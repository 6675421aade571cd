import { estimateToolTokens, type ToolDescriptor, toolSignature } from "indusagi/llm";
import { createToolIndex } from "indusagi/runtime";
import type { Run } from "../../boot/internal.ts";
import type { ServerToolsRequest } from "../../launch/internal.ts";
import {
  fullSchema,
  type OutlinedTool,
  showJson,
  showToolLines,
  showToolOutlines,
} from "../../screen/index.ts";
import { exampleCall } from "./example-call.ts";
import { reportFailures, startServers } from "./start-servers.ts";

/** `indus mcp tools`: one line per tool; for the servers named, signatures with example calls. */
export async function mcpTools(run: Run, request: ServerToolsRequest): Promise<number> {
  const { terminal, report } = run;
  const { sources, names, json, schema, search } = request;
  const started = await startServers(run, { sources, names });
  if (!started) return 1;
  const all = started.servers.box.descriptors();
  const tools = search === undefined ? all : await bestMatches(all, search);
  const outlined = (): Promise<OutlinedTool[]> =>
    Promise.all(tools.map((tool) => outline(tool, exampleCall(tool, { sources, cwd: run.cwd }))));
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

/** More would not be read. */
const MAX_MATCHES = 20;

async function bestMatches(
  tools: readonly ToolDescriptor[],
  words: string,
): Promise<readonly ToolDescriptor[]> {
  return (await createToolIndex(tools)).search(words, { limit: MAX_MATCHES });
}

async function outline(tool: ToolDescriptor, making: Promise<string | undefined>): Promise<OutlinedTool> {
  const example = await making;
  return { tool, ...(example === undefined ? {} : { example }) };
}

function plainTool({ tool, example }: OutlinedTool): object {
  const { name, title, description, annotations, origin } = tool;
  return {
    name,
    ...origin,
    ...(title === undefined ? {} : { title }),
    description,
    signature: toolSignature(tool),
    ...(example === undefined ? {} : { example }),
    estimatedTokens: estimateToolTokens(tool),
    ...(annotations ? { annotations } : {}),
    ...fullSchema(tool),
  };
}
