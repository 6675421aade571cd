import type { ToolDescriptor } from "indusagi/llm";

/** The tools that contain every word, those with more of the words in their name first. */
export function searchTools(tools: readonly ToolDescriptor[], words: string): readonly ToolDescriptor[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = (text: string): number => wanted.filter((word) => text.includes(word)).length;
  return tools
    .map((tool) => ({ tool, inName: hits(tool.name.toLowerCase()), inAll: hits(textOf(tool)) }))
    .filter(({ inAll }) => inAll === wanted.length)
    .sort((a, b) => b.inName - a.inName)
    .map(({ tool }) => tool);
}

function textOf({ name, title = "", description, parameters, origin }: ToolDescriptor): string {
  const names = Object.keys((parameters["properties"] as object | undefined) ?? {});
  return [name, title, description, origin?.server ?? "", ...names].join("\n").toLowerCase();
}
