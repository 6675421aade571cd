import type { ToolDescriptor } from "../../llm/index.ts";
import { joinBoxes, type Tool, type ToolBox, type ToolRefusal, viewBox } from "../../runtime/index.ts";
import { createSourceTable } from "../../runtime/internal.ts";
import type { ExtensionKey, RemoteTool, RemoteToolRef, ServerFleet } from "../contract/index.ts";
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
  /** Only the tools that differ for clients with these extensions: those of servers that make a list for them. Default: all plain ones. */
  readonly extensions?: ExtensionKey;
}

/**
 * The tools of a fleet as one box, which follows the fleet's changes. Changes of several servers at once, as when a
 * fleet starts with the tools of its last run, are one change of the box.
 */
export function bridgeBox(fleet: ServerFleet, options: BridgeBoxOptions = {}): ToolBox {
  const { extensions } = options;
  if (extensions !== undefined) void fleet.listFor(extensions);
  let mounted = mountAll(fleet, [], options);
  let isStale = false;
  const refresh = (): void => {
    if (!isStale) return;
    isStale = false;
    mounted = mountAll(fleet, mounted, options);
    table.replace(mounted);
  };
  const table = createSourceTable(mounted, {
    refusalOf: (name) => withheldTool(fleet, name, options),
    refresh,
  });
  fleet.onChange((change) => {
    // The plain tools are those of all servers without such a list, too.
    if (change.extensions !== undefined && change.extensions !== extensions) return;
    if (!isStale) queueMicrotask(refresh);
    isStale = true;
  });
  return table.box;
}

/** Whether a server makes a list of its own for clients with these extensions. */
function hasVariants(fleet: ServerFleet, server: string, extensions: ExtensionKey): boolean {
  return fleet.catalogue(server, extensions) !== fleet.catalogue(server);
}

/**
 * The tools for clients with some extensions: those of `box`, but `variants` instead of those of the servers that make a list for
 * them. `variants` is a `bridgeBox` for these extensions, with the same layers around it as `box`. A name that another server or a
 * native tool has in `box` stays theirs.
 */
export function withVariants(
  box: ToolBox,
  variants: ToolBox,
  { fleet, extensions }: { readonly fleet: ServerFleet; readonly extensions: ExtensionKey },
): ToolBox {
  let varied: ReadonlySet<string> = new Set();
  const look = (): void => {
    const servers = fleet.endpoints().map(({ config }) => config.id);
    varied = new Set(servers.filter((server) => hasVariants(fleet, server, extensions)));
  };
  look();
  const others = viewBox(box, {
    show: (tool) => (tool.origin && varied.has(tool.origin.server) ? undefined : tool),
    onShowChange: (listener) =>
      fleet.onChange((change) => {
        if (change.extensions !== undefined && change.extensions !== extensions) return;
        const before = varied;
        look();
        if (varied.size !== before.size || [...varied].some((server) => !before.has(server))) listener();
      }),
  });
  return joinBoxes([others, variants]);
}

/** The tools to offer, each under its own name. A tool whose definition is unchanged keeps its entry, and so its descriptor. */
function mountAll(fleet: ServerFleet, before: readonly Tool[], options: BridgeBoxOptions): readonly Tool[] {
  const { extensions, nameOf } = options;
  const offered = fleet.endpoints().flatMap(({ config: { id } }) => {
    if (extensions === undefined) return fleet.catalogue(id);
    return hasVariants(fleet, id, extensions) ? fleet.catalogue(id, extensions) : [];
  });
  const named = nameOf ? offered.map((tool) => renamed(tool, nameOf)) : offered;
  const losers = namesTaken(named, options) ? claimNames(named, options) : undefined;
  const mount = options.mount ?? ((tool: RemoteTool) => mountedTool(fleet, tool, extensions));
  const known = new Map(before.map((tool) => [tool.descriptor.name, tool]));
  const mounted: Tool[] = [];
  for (const tool of named) {
    if (losers?.has(tool)) continue;
    const old = known.get(tool.descriptor.name);
    mounted.push(old && isSameTool(old.descriptor, tool.descriptor) ? old : mount(tool));
  }
  return mounted;
}

/** Why the tool of this name is withheld. Looked up on each call, because such a tool is not in the table. */
function withheldTool(
  fleet: ServerFleet,
  name: string,
  { nameOf, extensions = "" }: BridgeBoxOptions,
): ToolRefusal | undefined {
  const withheld = fleet
    .endpoints()
    .flatMap(({ config }) => fleet.withheld(config.id, extensions))
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

/** Whether there is anything to decide, which is rare. */
function namesTaken(tools: readonly RemoteTool[], { reserved }: BridgeBoxOptions): boolean {
  const names = new Set<string>();
  for (const { descriptor } of tools) {
    if (reserved?.has(descriptor.name)) return true;
    names.add(descriptor.name);
  }
  return names.size < tools.length;
}

/**
 * Decides which tools do not get their names. If two clash, the first by identity wins, whichever server connected first; a tool that
 * the configuration renames never takes another tool's own name.
 */
function claimNames(
  tools: readonly RemoteTool[],
  { reserved, report }: BridgeBoxOptions,
): ReadonlySet<RemoteTool> {
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
  return new Set(losers);
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
