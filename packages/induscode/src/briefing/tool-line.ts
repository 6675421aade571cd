import { shortenText } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";

const MAX_LINE = 160;

/** One line for a tool: its name and the first sentence of its description. The request has the rest. */
export function toolLine({ name, description }: ToolDescriptor): string {
  const flat = description.replaceAll(/\s+/g, " ").trim();
  const [sentence = flat] = /^.*?[.!?](?=\s|$)/.exec(flat) ?? [];
  return flat === "" ? `- ${name}` : `- ${name}: ${shortenText(sentence, MAX_LINE)}`;
}
