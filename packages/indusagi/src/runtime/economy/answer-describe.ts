import { closestNames } from "../../core/index.ts";
import type { ToolDescriptor } from "../../llm/index.ts";
import type { ToolBox, ToolResult } from "../contract/index.ts";
import { failureResult, textResult } from "../results.ts";
import { TOOL_SEARCH } from "./own-tools.ts";

/** Definitions are long; a model that asks for more than these has not chosen yet. */
const MAX_NAMES = 20;

/** The whole definitions of the named tools, as JSON, one per line. Unknown names are reported beside them. */
export async function describedResult(names: readonly string[], box: ToolBox): Promise<ToolResult> {
  if (names.length === 0) return failureResult("names: name at least one tool");
  if (names.length > MAX_NAMES) return failureResult(`names: at most ${MAX_NAMES} tools at a time`);
  const byName = new Map(box.descriptors().map((tool) => [tool.name, tool]));
  const lines: string[] = [];
  let found = 0;
  for (const name of new Set(names)) {
    const tool = byName.get(name);
    if (tool) found++;
    const refusal = tool ? undefined : box.refusalOf?.(name);
    if (tool) lines.push(JSON.stringify(definitionOf(tool)));
    else lines.push(refusal?.message ?? (await unknownLine(name, [...byName.keys()])));
  }
  return found > 0 ? textResult(lines.join("\n")) : failureResult(lines.join("\n"));
}

/** As its server sent it where there is a server; without icons and `_meta`, which a model cannot use. */
function definitionOf({ name, definition, parameters, ...tool }: ToolDescriptor): object {
  const source: { readonly [member: string]: unknown } = definition ?? { ...tool, inputSchema: parameters };
  const { title, description, inputSchema, outputSchema, annotations } = source;
  return { name, title, description, inputSchema, outputSchema, annotations };
}

async function unknownLine(name: string, names: readonly string[]): Promise<string> {
  const similar = await closestNames(name, names);
  const remedy = similar.length > 0 ? `did you mean ${similar.join(" or ")}?` : `find it with ${TOOL_SEARCH}`;
  return `there is no tool named ${JSON.stringify(name)}; ${remedy}`;
}
