import { Listeners } from "../../core/index.ts";
import type { ToolDescriptor } from "../../llm/index.ts";
import type { ToolBox, ToolBoxChange, ToolRunner } from "../contract/index.ts";
import { unlistedOutcome } from "../outcomes.ts";

/** One tool of a table box. The object is the tool's version: pass the same one again while the tool is unchanged. */
export interface TableTool {
  readonly descriptor: ToolDescriptor;
  readonly run: ToolRunner["run"];
}

/** A tool box over a table from names to tools. The owner replaces the table; users get only `box`. */
export interface TableBox {
  readonly box: ToolBox;
  /**
   * Makes these the tools of the box, in this order. If two tools have the same name, the later one is used, at the
   * position of the earlier. Listeners are called once, and only if a tool was added, changed or removed.
   */
  replace(tools: Iterable<TableTool>): void;
}

export interface TableBoxOptions {
  /** See `ToolBox.refusalOf`. */
  readonly refusalOf?: ToolBox["refusalOf"];
}

export function createTableBox(
  initial: Iterable<TableTool> = [],
  { refusalOf }: TableBoxOptions = {},
): TableBox {
  const listeners = new Listeners<ToolBoxChange>();
  let tools = byName(initial);
  let descriptors = listDescriptors(tools);
  return {
    replace: (next) => {
      const before = tools;
      tools = byName(next);
      const change = difference(before, tools);
      if (change || !isSameOrder(before, tools)) descriptors = listDescriptors(tools);
      if (change) listeners.emit(change);
    },
    box: {
      descriptors: () => descriptors,
      onChange: (listener) => listeners.add(listener),
      ...(refusalOf && { refusalOf }),
      runner: {
        run: async (call, signal, caller) => {
          const tool = tools.get(call.name);
          return tool ? tool.run(call, signal, caller) : unlistedOutcome(call, refusalOf);
        },
      },
    },
  };
}

type Table = ReadonlyMap<string, TableTool>;

function byName(tools: Iterable<TableTool>): Table {
  const table = new Map<string, TableTool>();
  for (const tool of tools) table.set(tool.descriptor.name, tool);
  return table;
}

function listDescriptors(tools: Table): readonly ToolDescriptor[] {
  return Object.freeze([...tools.values()].map(({ descriptor }) => descriptor));
}

function isSameOrder(before: Table, after: Table): boolean {
  const names = [...after.keys()];
  return [...before.keys()].every((name, index) => name === names[index]);
}

function difference(before: Table, after: Table): ToolBoxChange | undefined {
  const added: ToolDescriptor[] = [];
  const changed: ToolDescriptor[] = [];
  for (const [name, tool] of after) {
    const old = before.get(name);
    if (!old) added.push(tool.descriptor);
    else if (old !== tool) changed.push(tool.descriptor);
  }
  const removed = [...before.values()]
    .map(({ descriptor }) => descriptor)
    .filter(({ name }) => !after.has(name));
  return added.length + changed.length + removed.length > 0 ? { added, changed, removed } : undefined;
}
