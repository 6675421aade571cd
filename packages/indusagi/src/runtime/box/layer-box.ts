import type { ToolDescriptor } from "../../llm/index.ts";
import type { ToolBox, ToolRunner } from "../contract/index.ts";
import { createToolTable, oncePerTool, type Tool, tableOf } from "./table-box.ts";

/** What a layer changes about the box below it. An absent member changes nothing. */
export interface ToolLayer {
  /** The tools above the layer. Called again after each change below. Passing a tool on unchanged adds no cost to its calls. */
  readonly list?: (below: readonly Tool[]) => readonly Tool[];
  /** What a call of a tool runs, made once per listed tool. To continue, run the given tool. */
  readonly call?: (tool: Tool) => ToolRunner["run"];
  /**
   * Handles calls of tools that the layer does not list. `next` passes the call to the box below, which may list the tool.
   * Default: a layer with a `list` refuses it, because it may have left the tool out; any other layer passes it on.
   */
  readonly missing?: (next: ToolRunner["run"]) => ToolRunner["run"];
  /** See `ToolBox.refusalOf`. Default: that of the box below. */
  readonly refusalOf?: ToolBox["refusalOf"];
  /** Calls the listener when `list` would return different tools although nothing changed below. */
  readonly onListChange?: ((listener: () => void) => unknown) | undefined;
  /** Decides when users of the box are told about changes. Layers above are told at once. */
  readonly changes?: (onChange: ToolBox["onChange"]) => ToolBox["onChange"];
}

/**
 * Puts a layer around a box. A call looks its tool up once, in the outermost box: what it runs was composed when the tools
 * last changed.
 */
export function layerBox(box: ToolBox, layer: ToolLayer): ToolBox {
  const { list, call, missing, refusalOf = box.refusalOf, onListChange, changes } = layer;
  const below = tableOf(box);
  const next: ToolRunner["run"] = (...given) => box.runner.run(...given);
  const wrapped = call && oncePerTool((tool) => ({ descriptor: tool.descriptor, run: call(tool) }));
  const above = (tools: readonly Tool[]): readonly Tool[] => {
    const listed = list ? list(tools) : tools;
    return wrapped ? listed.map(wrapped) : listed;
  };
  let seen = below.tools();
  const listAgain = (): void => {
    seen = below.tools();
    try {
      table.replace(above(seen));
    } catch {
      // If `list` throws, the previous tools stay. Those that are gone below refuse their calls themselves.
    }
  };
  const table = createToolTable(above(seen), {
    refusalOf,
    missing: missing?.(next) ?? (list ? undefined : next),
    // The box below may have changed but not reported it yet.
    refresh: () => {
      if (below.tools() !== seen) listAgain();
    },
    changes,
  });
  below.onChange(listAgain);
  onListChange?.(listAgain);
  return table.box;
}

/** The same tools, but `run` gets every call. It passes on to the box what it does not answer itself. */
export function wrapCalls(box: ToolBox, run: ToolRunner["run"]): ToolBox {
  return layerBox(box, { call: () => run, missing: () => run });
}

export interface ViewOptions {
  /** How a tool is shown; undefined hides it. Later, only whether it is shown may change. */
  readonly show: (tool: ToolDescriptor) => ToolDescriptor | undefined;
  /** The order of the tools, as `sort` takes it. Default: that of the box. */
  readonly order?: (a: ToolDescriptor, b: ToolDescriptor) => number;
  /** Calls the listener when `show` may show different tools. Default: it never does. */
  readonly onShowChange?: (listener: () => void) => unknown;
  /** See `ToolBox.refusalOf`. Default: that of the box. */
  readonly refusalOf?: ToolBox["refusalOf"];
}

/** Some tools of a box, optionally renamed. Follows the box's changes; calls reach the box under its own names. */
export function viewBox(box: ToolBox, { show, order, onShowChange, refusalOf }: ViewOptions): ToolBox {
  const shownAs = new WeakMap<Tool, Tool>();
  const shown = (tool: Tool): readonly Tool[] => {
    const descriptor = show(tool.descriptor);
    if (!descriptor) return [];
    if (descriptor === tool.descriptor) return [tool];
    const known = shownAs.get(tool) ?? renamed(tool, descriptor);
    shownAs.set(tool, known);
    return [known];
  };
  return layerBox(box, {
    list: (tools) =>
      (order ? tools.toSorted((a, b) => order(a.descriptor, b.descriptor)) : tools).flatMap(shown),
    onListChange: onShowChange,
    refusalOf,
  });
}

function renamed(tool: Tool, descriptor: ToolDescriptor): Tool {
  const { name } = tool.descriptor;
  if (descriptor.name === name) return { descriptor, run: tool.run };
  return { descriptor, run: (call, signal, caller) => tool.run({ ...call, name }, signal, caller) };
}

/**
 * Several boxes as one, with the tools of the first box first. If two tools share a name, the earlier box's is offered;
 * `report` is called once for the other, which becomes available when the first one is removed.
 */
export function joinBoxes(boxes: readonly ToolBox[], report: (message: string) => void = () => {}): ToolBox {
  const tables = boxes.map(tableOf);
  const reported = new Set<string>();
  const joined = (): Iterable<Tool> => {
    const byName = new Map<string, Tool>();
    for (const tool of tables.flatMap((table) => table.tools())) {
      const { name } = tool.descriptor;
      if (!byName.has(name)) byName.set(name, tool);
      else if (!reported.has(name)) {
        reported.add(name);
        report(`a second tool named ${name} is not offered: the name is taken`);
      }
    }
    return byName.values();
  };
  const firstRefusal: ToolBox["refusalOf"] = (name) => {
    for (const box of boxes) {
      const refusal = box.refusalOf?.(name);
      if (refusal) return refusal;
    }
    return undefined;
  };
  let seen = tables.map((table) => table.tools());
  const joinAgain = (): void => {
    seen = tables.map((table) => table.tools());
    joint.replace(joined());
  };
  const joint = createToolTable(joined(), {
    refusalOf: firstRefusal,
    refresh: () => {
      if (tables.some((table, at) => table.tools() !== seen[at])) joinAgain();
    },
  });
  for (const { onChange } of tables) onChange(joinAgain);
  return joint.box;
}
