import type { ToolDescriptor } from "../../llm/index.ts";
import type { Tool, ToolBox, ToolRefusal } from "../../runtime/index.ts";
import { createSourceTable } from "../../runtime/internal.ts";
import type { RemoteTool, RemoteToolRef, ServerFleet } from "../contract/index.ts";
import { isSameDefinition } from "../endpoint/index.ts";
import { mountedTool } from "./mounted-tool.ts";

export interface BridgeBoxOptions {
  /** Names that mounted tools must not take, e.g. those of the native tools. */
  readonly reserved?: ReadonlySet<string> | undefined;
  /** The name a tool is offered under. Default: the wire name its descriptor has. */
  readonly nameOf?: (ref: RemoteToolRef) => string;
  /** Makes the entry of a tool. Default: one that calls the tool through a lease of the fleet. */
  readonly mount?: (tool: RemoteTool) => Tool;
  /** Called for each tool that cannot be offered, with the reason. */
  readonly report?: ((message: string) => void) | undefined;
}

/**
 * The tools of a fleet as one box, which follows the fleet's changes. Changes of several servers at once, as when a
 * fleet starts with the tools of its last run, are one change of the box.
 */
export function bridgeBox(fleet: ServerFleet, options: BridgeBoxOptions = {}): ToolBox {
  let mounted: ReadonlyMap<string, Tool> = mountAll(fleet, new Map(), options);
  let isStale = false;
  const refresh = (): void => {
    if (!isStale) return;
    isStale = false;
    mounted = mountAll(fleet, mounted, options);
    table.replace(mounted.values());
  };
  const table = createSourceTable(mounted.values(), {
    refusalOf: (name) => withheldTool(fleet, name, options),
    refresh,
  });
  fleet.onChange(() => {
    if (!isStale) queueMicrotask(refresh);
    isStale = true;
  });
  return table.box;
}

/** Tools by name. A tool whose definition is unchanged keeps its entry, and so its descriptor. */
function mountAll(
  fleet: ServerFleet,
  before: ReadonlyMap<string, Tool>,
  options: BridgeBoxOptions,
): Map<string, Tool> {
  const named = fleet
    .endpoints()
    .flatMap(({ config }) => fleet.catalogue(config.id))
    .map((tool) => renamed(tool, options.nameOf));
  const winners = claimNames(named, options);
  const mount = options.mount ?? ((tool: RemoteTool) => mountedTool(fleet, tool));
  const mounted = new Map<string, Tool>();
  for (const tool of named) {
    const { name } = tool.descriptor;
    if (winners.get(name) !== tool) continue;
    const old = before.get(name);
    mounted.set(name, old && isSameTool(old.descriptor, tool.descriptor) ? old : mount(tool));
  }
  return mounted;
}

/** Why the tool of this name is withheld. Looked up on each call, because such a tool is not in the table. */
function withheldTool(
  fleet: ServerFleet,
  name: string,
  { nameOf }: BridgeBoxOptions,
): ToolRefusal | undefined {
  const withheld = fleet
    .endpoints()
    .flatMap(({ config }) => fleet.withheld(config.id))
    .find(({ tool }) => renamed(tool, nameOf).descriptor.name === name);
  if (!withheld) return undefined;
  const { server } = withheld.tool.ref;
  const fault = { kind: "tool_error", reason: "policy", retrySafe: true, server } as const;
  return { message: withheld.message, fault };
}

function renamed(tool: RemoteTool, nameOf: BridgeBoxOptions["nameOf"]): RemoteTool {
  if (!nameOf) return tool;
  const shown = { ...tool.ref, name: tool.shownName ?? tool.ref.name };
  return { ...tool, descriptor: { ...tool.descriptor, name: nameOf(shown) } };
}

/**
 * Decides which tool gets each name. If two clash, the first by identity wins, whichever server connected first; a tool that
 * the configuration renames never takes another tool's own name.
 */
function claimNames(
  tools: readonly RemoteTool[],
  { reserved, report }: BridgeBoxOptions,
): ReadonlyMap<string, RemoteTool> {
  const claims = new Map<string, RemoteTool>();
  const losers: RemoteTool[] = [];
  for (const tool of tools) {
    const { name } = tool.descriptor;
    const other = claims.get(name);
    if (reserved?.has(name)) losers.push(tool);
    else if (!other) claims.set(name, tool);
    else if (identityOf(other) <= identityOf(tool)) losers.push(tool);
    else {
      claims.set(name, tool);
      losers.push(other);
    }
  }
  for (const { ref, descriptor } of inOrderOfIdentity(losers))
    report?.(
      `tool ${JSON.stringify(ref.name)} of server "${ref.server}" is not offered: the name ${descriptor.name} is taken`,
    );
  return claims;
}

function inOrderOfIdentity(tools: readonly RemoteTool[]): RemoteTool[] {
  return tools.toSorted((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));
}

function identityOf({ ref, shownName }: RemoteTool): string {
  return `${shownName === undefined ? 0 : 1}${ref.server}\0${ref.name}`;
}

function isSameTool(a: ToolDescriptor, b: ToolDescriptor): boolean {
  return (
    a === b ||
    (a.description === b.description &&
      a.origin?.tool === b.origin?.tool &&
      a.origin?.server === b.origin?.server &&
      isSameDefinition(a.definition, b.definition))
  );
}
