import type { ToolDescriptor } from "../../llm/index.ts";
import type { ToolBox } from "../contract/index.ts";
import { createTableBox, type TableTool } from "./table-box.ts";

export interface ViewOptions {
  /** How a tool is shown; undefined if it is not. Only whether it is shown may change later. */
  readonly show: (tool: ToolDescriptor) => ToolDescriptor | undefined;
  /** The order of the tools, as `sort` takes it. Default: that of the box. */
  readonly order?: (a: ToolDescriptor, b: ToolDescriptor) => number;
  /** Calls the listener when `show` may show other tools than before. Default: it always shows the same. */
  readonly onShowChange?: (listener: () => void) => unknown;
  /** See `ToolBox.refusalOf`. Default: that of the box. */
  readonly refusalOf?: ToolBox["refusalOf"];
}

/** Some tools of a box, perhaps under other names. It follows the changes of the box, which gets the calls under its own names. */
export function viewBox(box: ToolBox, options: ViewOptions): ToolBox {
  const { show, order, onShowChange, refusalOf = box.refusalOf } = options;
  const entries = new WeakMap<ToolDescriptor, TableTool>();
  const entryOf = (own: ToolDescriptor): TableTool[] => {
    const descriptor = show(own);
    if (!descriptor) return [];
    const entry = entries.get(own) ?? shownTool(box, own.name, descriptor);
    entries.set(own, entry);
    return [entry];
  };
  const shown = (): TableTool[] =>
    (order ? box.descriptors().toSorted(order) : box.descriptors()).flatMap(entryOf);
  const table = createTableBox(shown(), { refusalOf });
  box.onChange(({ changed }) => {
    // A changed tool may keep its descriptor.
    for (const descriptor of changed) entries.delete(descriptor);
    table.replace(shown());
  });
  onShowChange?.(() => table.replace(shown()));
  return table.box;
}

function shownTool(box: ToolBox, name: string, descriptor: ToolDescriptor): TableTool {
  const { runner } = box;
  if (descriptor.name === name) return { descriptor, run: (...call) => runner.run(...call) };
  return { descriptor, run: (call, signal, caller) => runner.run({ ...call, name }, signal, caller) };
}
