import { toolBox } from "indusagi/capabilities";
import { escapeForDisplay, mintUlid } from "indusagi/core";
import type { ToolBox } from "indusagi/runtime";
import type { Terminal } from "../boot/index.ts";
import { noSuchTool } from "./no-such-tool.ts";
import { onScreen } from "./on-screen.ts";
import { showBlock } from "./show-block.ts";

export interface ToolRequest {
  readonly tool: string;
  readonly input: { readonly [name: string]: unknown };
}

/** `indus call`: runs one native tool in the current folder and prints its answer. */
export async function callTool(
  terminal: Terminal,
  { tool, input }: ToolRequest,
  signal: AbortSignal,
): Promise<number> {
  await using box = toolBox("all");
  const problem = problemWith(box, { tool, input });
  if (problem !== undefined) {
    terminal.err(`indus: ${escapeForDisplay(problem)}\n`);
    return 1;
  }
  const outcome = await box.runner.run({ id: mintUlid(), name: tool, input }, signal);
  const text = `${outcome.result.content.map(showBlock).join("\n")}\n`;
  if (outcome.isError) terminal.err(onScreen(text));
  else terminal.out(terminal.outIsScreen ? onScreen(text) : text);
  return outcome.isError ? 1 : 0;
}

/** A tool looks past what it does not know, which is kind to models; somebody who typed it meant something by it. */
function problemWith(box: ToolBox, { tool, input }: ToolRequest): string | undefined {
  const tools = box.descriptors();
  const parameters = tools.find(({ name }) => name === tool)?.parameters;
  if (!parameters) {
    const known = tools.map(({ name }) => name);
    return noSuchTool(tool, known, "indus tools");
  }
  const properties = parameters["properties"] ?? {};
  const surplus = Object.keys(input).find((name) => !Object.hasOwn(properties, name));
  if (surplus === undefined) return undefined;
  const known = Object.keys(properties).join(", ") || "none";
  return `${tool} takes no argument ${JSON.stringify(surplus)}; it takes ${known}`;
}
