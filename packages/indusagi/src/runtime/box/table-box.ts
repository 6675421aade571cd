import { Listeners } from "../../core/index.ts";
import type { ToolDescriptor } from "../../llm/index.ts";
import type { ToolBox, ToolBoxChange, ToolRunner } from "../contract/index.ts";
import { unlistedOutcome } from "../results.ts";

/**
 * A tool of a box: its description, and what a call runs. The object's identity is the tool's version: pass the same one on
 * while the tool is unchanged.
 */
export interface Tool {
  readonly descriptor: ToolDescriptor;
  readonly run: ToolRunner["run"];
}

/** The same, under the name that table boxes use. */
export type TableTool = Tool;

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

export function createTableBox(initial: Iterable<TableTool> = [], options: TableBoxOptions = {}): TableBox {
  return createSourceTable(initial, options);
}

/** The current tools of a box, in order; running one needs no lookup. An unchanged tool is the same object each time. */
export function toolsOf(box: ToolBox): readonly Tool[] {
  return tableOf(box).tools();
}

/** The tool that a box lists under a name. */
export function lookUpTool(box: ToolBox, name: string): Tool | undefined {
  return tableOf(box).find(name);
}

/** A tool of a table, and whether it is in it now. */
interface ListedTool extends Tool {
  isListed: boolean;
}

export interface ToolTableOptions {
  readonly refusalOf?: ToolBox["refusalOf"];
  /** Gets calls of tools that are not in the table. Default: they are refused. */
  readonly missing?: ToolRunner["run"] | undefined;
  /** Called before the table is read, so an owner can apply changes it has not been told about. */
  readonly refresh?: () => void;
  /** Called with the tools of the table, before its users are told about them. */
  readonly onTools?: (tools: readonly Tool[]) => void;
  /** How users of the box are told about changes. Default: at once. */
  readonly changes?: ((onChange: ToolBox["onChange"]) => ToolBox["onChange"]) | undefined;
}

/** What boxes of this package know about each other. */
export interface ToolTable extends TableBox {
  tools(): readonly Tool[];
  find(name: string): Tool | undefined;
  /** Reports changes at once. */
  readonly onChange: ToolBox["onChange"];
}

const tables = new WeakMap<ToolBox, ToolTable>();

/** A table that is not derived from another one. */
export function createSourceTable(initial: Iterable<Tool>, options: ToolTableOptions): ToolTable {
  const { refresh = () => {} } = options;
  /**
   * Layers, cards and callers hold on to a tool, and it may be withheld meanwhile. So the table checks when the tool runs: one
   * that is no longer here is looked up again.
   */
  const guarded = oncePerTool((tool) => {
    const own: ListedTool = {
      descriptor: tool.descriptor,
      isListed: false,
      run: (call, signal, caller) => {
        refresh();
        return (own.isListed ? tool : table.box.runner).run(call, signal, caller);
      },
    };
    return own;
  });
  const guardedAll = (tools: Iterable<Tool>): readonly Tool[] => Array.from(tools, guarded);
  // No set of them: a server may have ten thousand tools.
  let listed: readonly ListedTool[] = [];
  const onTools = (tools: readonly Tool[]): void => {
    for (const tool of listed) tool.isListed = false;
    listed = tools as readonly ListedTool[];
    for (const tool of listed) tool.isListed = true;
  };
  const inner = createToolTable(guardedAll(initial), { ...options, onTools });
  const table: ToolTable = { ...inner, replace: (tools) => inner.replace(guardedAll(tools)) };
  tables.set(inner.box, table);
  return table;
}

export function createToolTable(initial: Iterable<Tool>, options: ToolTableOptions): ToolTable {
  const { refusalOf, refresh = () => {}, onTools, changes = (onChange) => onChange } = options;
  const missing: ToolRunner["run"] = options.missing ?? (async (call) => unlistedOutcome(call, refusalOf));
  const listeners = new Listeners<ToolBoxChange>();
  let byName = inOrder(initial);
  let tools: readonly Tool[] = [...byName.values()];
  onTools?.(tools);
  let descriptors = listDescriptors(tools);
  const onChange: ToolBox["onChange"] = (listener) => listeners.add(listener);
  const find = (name: string): Tool | undefined => {
    refresh();
    return byName.get(name);
  };
  const table: ToolTable = {
    tools: () => {
      refresh();
      return tools;
    },
    find,
    onChange,
    replace: (next) => {
      const before = tools;
      const namedBefore = byName;
      byName = inOrder(next);
      tools = [...byName.values()];
      onTools?.(tools);
      const change = difference(namedBefore, byName);
      if (change || tools.some((tool, at) => tool !== before[at])) descriptors = listDescriptors(tools);
      if (change) listeners.emit(change);
    },
    box: {
      descriptors: () => {
        refresh();
        return descriptors;
      },
      onChange: changes(onChange),
      ...(refusalOf && { refusalOf }),
      runner: {
        run: (call, signal, caller) => {
          try {
            return (find(call.name)?.run ?? missing)(call, signal, caller);
          } catch (thrown) {
            return Promise.reject(thrown); // A tool that throws before its first await.
          }
        },
      },
    },
  };
  tables.set(table.box, table);
  return table;
}

/** Makes one tool from another, once each: an unchanged tool must stay the same object. */
export function oncePerTool(make: (tool: Tool) => Tool): (tool: Tool) => Tool {
  const made = new WeakMap<Tool, Tool>();
  return (tool) => {
    const known = made.get(tool);
    if (known) return known;
    const own = make(tool);
    made.set(tool, own);
    return own;
  };
}

/** The table of a box. For a foreign box, one that follows its list and looks each tool up again when it is called. */
export function tableOf(box: ToolBox): ToolTable {
  return tables.get(box) ?? tableOfOther(box);
}

function tableOfOther(box: ToolBox): ToolTable {
  const known = new WeakMap<ToolDescriptor, Tool>();
  const run: Tool["run"] = (call, signal, caller) => box.runner.run(call, signal, caller);
  const toolOf = (descriptor: ToolDescriptor): Tool => {
    const tool = known.get(descriptor) ?? { descriptor, run };
    known.set(descriptor, tool);
    return tool;
  };
  let listed: readonly ToolDescriptor[] | undefined = box.descriptors();
  // A box that returns new descriptors each time breaks its contract; then only its events tell of changes.
  const isStable = isSameList(listed, box.descriptors());
  let isTelling = false;
  const follow = (): void => {
    const now = box.descriptors();
    if (listed && isSameList(now, listed)) return;
    listed = now;
    isTelling = true;
    try {
      table.replace(now.map(toolOf));
    } finally {
      isTelling = false;
    }
  };
  const { refusalOf } = box;
  const table = createToolTable(listed.map(toolOf), {
    missing: run,
    // Listeners read the table while it is changing.
    refresh: () => {
      if (isStable && !isTelling) follow();
    },
    refusalOf: refusalOf && ((name) => box.refusalOf?.(name)),
  });
  box.onChange(({ changed }) => {
    // A changed tool may keep its descriptor.
    for (const descriptor of changed) known.delete(descriptor);
    listed = undefined;
    follow();
  });
  tables.set(box, table);
  return table;
}

function isSameList(a: readonly ToolDescriptor[], b: readonly ToolDescriptor[]): boolean {
  return a === b || (a.length === b.length && a.every((descriptor, at) => descriptor === b[at]));
}

type ToolsByName = ReadonlyMap<string, Tool>;

function inOrder(tools: Iterable<Tool>): ToolsByName {
  const byName = new Map<string, Tool>();
  for (const tool of tools) byName.set(tool.descriptor.name, tool);
  return byName;
}

function listDescriptors(tools: readonly Tool[]): readonly ToolDescriptor[] {
  return Object.freeze(tools.map(({ descriptor }) => descriptor));
}

function difference(before: ToolsByName, after: ToolsByName): ToolBoxChange | undefined {
  const added: ToolDescriptor[] = [];
  const changed: ToolDescriptor[] = [];
  // Values only: a pair for each of ten thousand tools is as large as the table.
  for (const tool of after.values()) {
    const { descriptor } = tool;
    const old = before.get(descriptor.name);
    if (!old) added.push(descriptor);
    else if (old !== tool) changed.push(descriptor);
  }
  const removed: ToolDescriptor[] = [];
  for (const { descriptor } of before.values()) if (!after.has(descriptor.name)) removed.push(descriptor);
  return added.length + changed.length + removed.length > 0 ? { added, changed, removed } : undefined;
}
