import type { ToolDescriptor } from "../../llm/index.ts";
import type { ToolBox } from "../contract/index.ts";
import { createTableBox, type TableTool } from "./table-box.ts";

/**
 * Several boxes as one, with the tools of the first box first. Of two tools with one name the earlier box's is offered;
 * `report` is called once for the other, which becomes available when the first one is removed.
 */
export function joinBoxes(boxes: readonly ToolBox[], report: (message: string) => void = () => {}): ToolBox {
  const reported = new Set<string>();
  const entries = boxes.map(cachedEntries);
  const joined = (): TableTool[] => {
    const tools = new Map<string, TableTool>();
    for (const tool of entries.flatMap((list) => list())) {
      const { name } = tool.descriptor;
      if (!tools.has(name)) tools.set(name, tool);
      else if (!reported.has(name)) {
        reported.add(name);
        report(`a second tool named ${name} is not offered: the name is taken`);
      }
    }
    return [...tools.values()];
  };
  const table = createTableBox(joined(), { refusalOf: refusalIn(boxes) });
  for (const box of boxes) box.onChange(() => table.replace(joined()));
  return table.box;
}

/** The first refusal of several boxes. */
function refusalIn(boxes: readonly Pick<ToolBox, "refusalOf">[]): NonNullable<ToolBox["refusalOf"]> {
  return (name) => {
    for (const box of boxes) {
      const refusal = box.refusalOf?.(name);
      if (refusal) return refusal;
    }
    return undefined;
  };
}

/** The tools of one box as table entries. A descriptor keeps its entry, so an unchanged tool is not reported as changed. */
function cachedEntries(box: ToolBox): () => TableTool[] {
  const cache = new WeakMap<ToolDescriptor, TableTool>();
  const entryOf = (descriptor: ToolDescriptor): TableTool => {
    const known = cache.get(descriptor);
    if (known) return known;
    const entry: TableTool = {
      descriptor,
      run: (call, signal, caller) => box.runner.run(call, signal, caller),
    };
    cache.set(descriptor, entry);
    return entry;
  };
  return () => box.descriptors().map(entryOf);
}
