import type { ToolBoxChange } from "../../runtime/index.ts";
import type { DefinedTool } from "../contract/index.ts";

/** How one set of tools differs from an earlier one, by name and object; nothing when it does not. */
export function diffTools(
  before: ReadonlyMap<string, DefinedTool>,
  after: ReadonlyMap<string, DefinedTool>,
): ToolBoxChange | undefined {
  const pick = (
    tools: ReadonlyMap<string, DefinedTool>,
    isWanted: (name: string, tool: DefinedTool) => boolean,
  ) => [...tools].filter(([name, tool]) => isWanted(name, tool)).map(([, tool]) => tool.descriptor());
  const added = pick(after, (name) => !before.has(name));
  const changed = pick(after, (name, tool) => before.has(name) && before.get(name) !== tool);
  const removed = pick(before, (name) => !after.has(name));
  return added.length + changed.length + removed.length > 0 ? { added, changed, removed } : undefined;
}
