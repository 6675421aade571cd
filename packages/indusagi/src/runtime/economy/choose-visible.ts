import type { ToolDescriptor } from "../../llm/index.ts";
import { fitTool } from "./fit-description.ts";
import { toolCost } from "./list-cost.ts";

export interface VisibleOptions {
  /** Names, or beginnings of names that end in `*`. Shown whatever they cost. */
  readonly pinned: readonly string[];
  /** Names of tools, the one that was used last first. */
  readonly recent: readonly string[];
  /** A server with at most this many tools is shown whole. */
  readonly smallServer: number;
  /** What the tools that are not pinned may cost, together with those that are. */
  readonly tokens: number;
}

/** The tools worth their place in the list: the pinned, then the recently used, then those of small servers. */
export function chooseVisible(
  tools: readonly ToolDescriptor[],
  { pinned, recent, smallServer, tokens }: VisibleOptions,
): readonly ToolDescriptor[] {
  const chosen = new Set(tools.filter(({ name }) => isPinned(name, pinned)));
  let left = tokens - sum([...chosen]);
  const show = (group: readonly ToolDescriptor[]): void => {
    const added = group.filter((tool) => !chosen.has(tool));
    const cost = sum(added);
    if (cost > left) return;
    left -= cost;
    for (const tool of added) chosen.add(tool);
  };
  const byName = recent.length > 0 ? new Map(tools.map((tool) => [tool.name, tool])) : undefined;
  for (const name of recent) {
    const tool = byName?.get(name);
    if (tool) show([tool]);
  }
  for (const group of smallServers(tools, smallServer)) show(group);
  return [...chosen];
}

function isPinned(name: string, pinned: readonly string[]): boolean {
  return pinned.some((pin) => (pin.endsWith("*") ? name.startsWith(pin.slice(0, -1)) : name === pin));
}

/** The tools of each small server, the cheapest server first. */
function smallServers(
  tools: readonly ToolDescriptor[],
  smallServer: number,
): readonly (readonly ToolDescriptor[])[] {
  const groups = new Map<string, ToolDescriptor[]>();
  for (const tool of tools) {
    // Native tools belong to no server; an owner who wants them listed pins them.
    if (!tool.origin) continue;
    const group = groups.get(tool.origin.server);
    if (group) group.push(tool);
    else groups.set(tool.origin.server, [tool]);
  }
  return [...groups.values()]
    .filter((group) => group.length <= smallServer)
    .map((group) => ({ group, cost: sum(group) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ group }) => group);
}

function sum(tools: readonly ToolDescriptor[]): number {
  return tools.reduce((total, tool) => total + toolCost(fitTool(tool)), 0);
}
