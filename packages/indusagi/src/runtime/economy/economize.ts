import type { ToolDescriptor } from "../../llm/index.ts";
import { createTableBox, type TableTool } from "../box/index.ts";
import type { ToolBox, ToolRunner } from "../contract/index.ts";
import { chooseVisible } from "./choose-visible.ts";
import { economizedRun } from "./economized-run.ts";
import { fitTool } from "./fit-description.ts";
import { listCost } from "./list-cost.ts";
import { CALL_TOOL, DESCRIBE_TOOL, OWN_NAMES, searchTool, TOOL_SEARCH } from "./own-tools.ts";
import { RecentTools } from "./recent-tools.ts";

export interface EconomyOptions {
  /** Tools that are always listed: names, or beginnings of names that end in `*`. */
  readonly pinned?: readonly string[];
  /** How many of the tools that were used last are listed. Default 5. */
  readonly recent?: number;
  /** A server with at most this many tools is listed whole. Default 3. */
  readonly smallServer?: number;
  /** An estimate of the tokens that the list may cost. Pinned tools are listed beyond it. Default 1,500. */
  readonly visibleTokens?: number;
  /** List all tools while they exceed neither of these. Default: never. */
  readonly above?: { readonly tools?: number; readonly tokens?: number };
  /** Calls the listener when the options above have other values than before. Default: they never change. */
  readonly onOptionsChange?: (listener: () => void) => unknown;
}

const DEFAULTS = { pinned: [], recent: 5, smallServer: 3, visibleTokens: 1_500 };

/**
 * A box that lists a few of the tools of another and lets a model find, describe and call the rest with three tools of its own. Any
 * tool can also be called by its name. Tools that the other box does not list, because a rule hides them for example, are neither
 * found nor called. Put a policy gate inside, `economize(gate(box, policy))`: it then decides about the tool that is called.
 */
export function economize(box: ToolBox, options: EconomyOptions = {}): ToolBox {
  const recent = new RecentTools(options.recent ?? DEFAULTS.recent);
  const run = economizedRun(box, (name) => {
    if (recent.use(name)) table.replace(visible());
  });
  const entryOf = keptEntries(run);
  const visible = (): TableTool[] => economizedTools(box.descriptors(), options, recent.names).map(entryOf);
  const table = createTableBox(visible());
  box.onChange(() => table.replace(visible()));
  options.onOptionsChange?.(() => table.replace(visible()));
  return {
    descriptors: () => table.box.descriptors(),
    onChange: (listener) => table.box.onChange(listener),
    refusalOf: box.refusalOf,
    runner: { run },
  };
}

/** What an economized box lists of these tools. `used`: the names of the tools that were used last, the latest first. */
export function economizedTools(
  tools: readonly ToolDescriptor[],
  options: EconomyOptions = {},
  used: readonly string[] = [],
): readonly ToolDescriptor[] {
  if (!exceeds(tools, options.above)) return tools;
  const { pinned, smallServer, visibleTokens } = { ...DEFAULTS, ...options };
  const servers = [...new Set(tools.flatMap(({ origin }) => origin?.server ?? []))].sort();
  const own = [searchTool(servers), DESCRIBE_TOOL, CALL_TOOL];
  const choice = { pinned, recent: used, smallServer, tokens: visibleTokens - listCost(own) };
  const listed = chooseVisible(tools, choice).filter(({ name }) => !OWN_NAMES.has(name));
  return [...own, ...listed.map(fitTool)];
}

function exceeds(tools: readonly ToolDescriptor[], above: EconomyOptions["above"]): boolean {
  if (!above) return true;
  const { tools: most = Infinity, tokens = Infinity } = above;
  return tools.length > most || listCost(tools) > tokens;
}

/** The entries of a table. A tool keeps its entry, and so does the search while the servers are the same: it has not changed. */
function keptEntries(run: ToolRunner["run"]): (tool: ToolDescriptor) => TableTool {
  const entries = new WeakMap<ToolDescriptor, TableTool>();
  let search: TableTool | undefined;
  return (descriptor) => {
    if (descriptor.name === TOOL_SEARCH) {
      if (search?.descriptor.description !== descriptor.description) search = { descriptor, run };
      return search;
    }
    const known = entries.get(descriptor);
    if (known) return known;
    const entry: TableTool = { descriptor, run };
    entries.set(descriptor, entry);
    return entry;
  };
}
