import { cutText } from "../../core/index.ts";
import type { ToolDescriptor } from "../../llm/index.ts";
import { TOOL_DESCRIBE } from "./own-tools.ts";
import { sentenceEnds } from "./search/first-sentence.ts";

/** Clients truncate longer descriptions, even in the middle of a word. */
const MAX_DESCRIPTION = 2_048;

const NOTE = ` […] ${TOOL_DESCRIBE} gives the rest.`;

/** Shortens a description so clients do not truncate it: after a sentence, or after a word if the sentence is too long. */
export function fitDescription(text: string): string {
  if (text.length <= MAX_DESCRIPTION) return text;
  const room = MAX_DESCRIPTION - NOTE.length;
  let end = 0;
  for (const next of sentenceEnds(text)) {
    if (next > room) break;
    end = next;
  }
  const kept = end > room / 2 ? text.slice(0, end) : cutText(text, room).replace(/\s+\S*$/, "");
  return kept + NOTE;
}

const fitted = new WeakMap<ToolDescriptor, ToolDescriptor>();

/** The tool as listed. The same object if its description fits. */
export function fitTool(tool: ToolDescriptor): ToolDescriptor {
  const definition = tool.definition?.["description"];
  const isLong = typeof definition === "string" && definition.length > MAX_DESCRIPTION;
  if (!isLong && tool.description.length <= MAX_DESCRIPTION) return tool;
  const known = fitted.get(tool);
  if (known) return known;
  const shown: ToolDescriptor = Object.freeze({
    ...tool,
    description: fitDescription(tool.description),
    ...(isLong ? { definition: { ...tool.definition, description: fitDescription(definition) } } : {}),
  });
  fitted.set(tool, shown);
  return shown;
}
