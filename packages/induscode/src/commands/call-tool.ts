import { toolBox } from "indusagi/capabilities";
import { mintUlid } from "indusagi/core";
import type { Terminal } from "../boot/index.ts";
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
  const outcome = await box.runner.run({ id: mintUlid(), name: tool, input }, signal);
  const text = `${outcome.result.content.map(showBlock).join("\n")}\n`;
  if (outcome.isError) terminal.err(text);
  else terminal.out(text);
  return outcome.isError ? 1 : 0;
}
