import type { ToolDescriptor } from "indusagi/llm";
import { createTableBox, type TableTool, type ToolBox } from "indusagi/runtime";

/** The same box with only some of its tools. It follows the changes of the box. */
export function filterBox(box: ToolBox, keep: (tool: ToolDescriptor) => boolean): ToolBox {
  const entries = new WeakMap<ToolDescriptor, TableTool>();
  const entryOf = (descriptor: ToolDescriptor): TableTool => {
    const entry = entries.get(descriptor) ?? {
      descriptor,
      run: (call, signal, caller) => box.runner.run(call, signal, caller),
    };
    entries.set(descriptor, entry);
    return entry;
  };
  const kept = (): TableTool[] => box.descriptors().filter(keep).map(entryOf);
  const table = createTableBox(kept(), { refusalOf: box.refusalOf });
  box.onChange(({ changed }) => {
    // A changed tool may keep its descriptor.
    for (const descriptor of changed) entries.delete(descriptor);
    table.replace(kept());
  });
  return table.box;
}
