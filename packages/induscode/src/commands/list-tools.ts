import { READ_ONLY_NAMES, toolBox } from "indusagi/capabilities";
import type { ToolDescriptor } from "indusagi/llm";
import type { Terminal } from "../boot/index.ts";
import { firstSentence } from "./first-sentence.ts";
import { showTable } from "./show-table.ts";

/** `indus tools`: the native tools, as a table or as JSON. */
export async function listTools(terminal: Terminal, options: { readonly json: boolean }): Promise<number> {
  await using box = toolBox("all");
  const tools = box.descriptors();
  if (options.json) terminal.out(`${JSON.stringify(tools, undefined, 2)}\n`);
  else terminal.out(showTable([["TOOL", "CHANGES", "ARGUMENTS", "WHAT IT DOES"], ...tools.map(toolRow)]));
  return 0;
}

function toolRow(tool: ToolDescriptor): string[] {
  const changes = READ_ONLY_NAMES.includes(tool.name) ? "nothing" : "yes";
  return [tool.name, changes, argumentNames(tool), firstSentence(tool.description)];
}

function argumentNames({ parameters }: ToolDescriptor): string {
  const names = Object.keys(parameters["properties"] ?? {});
  const required = (parameters["required"] ?? []) as readonly string[];
  return names.map((name) => (required.includes(name) ? name : `${name}?`)).join(" ") || "-";
}
