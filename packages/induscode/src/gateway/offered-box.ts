import { type BoxSource, extensionKey, type HostClient, isAppOnly } from "indusagi/interop";
import { economize, type ToolBox } from "indusagi/runtime";
import { clientLimits } from "./client-limits.ts";
import { STATUS_TOOL } from "./status-box.ts";

/** Which tools `indus serve` lists: all, a few with a search for the rest, or either, depending on the client and the number of tools. */
export type ToolsMode = "all" | "search" | "auto";

export interface OfferedBoxOptions {
  /** Default: `all`. */
  readonly mode?: ToolsMode | undefined;
  /** Applied to a box before clients see it. */
  readonly finish: (box: ToolBox) => ToolBox;
}

/** Tools that only apps call are listed, because the client passes their calls on; a model must not find them. */
const ECONOMY = { pinned: [STATUS_TOOL], isForPrograms: isAppOnly };

/** The tools offered to each client. Clients with the same limits share a box, and with it the tools used last. */
export function offeredBox(box: ToolBox, { mode = "all", finish }: OfferedBoxOptions): BoxSource {
  if (mode === "all") return finish(box);
  if (mode === "search") return finish(economize(box, ECONOMY));
  const byLimits = new Map<string, ToolBox>();
  return ({ client }) => {
    const above = clientLimits(client);
    const key = JSON.stringify(Object.values(above));
    const known = byLimits.get(key);
    if (known) return known;
    const offered = finish(economize(box, { ...ECONOMY, above }));
    byLimits.set(key, offered);
    return offered;
  };
}

/** Boxes that depend on what clients declared. Clients with the same relayed extensions share them. */
export function byExtensions(offer: (extensions: HostClient["extensions"]) => BoxSource): BoxSource {
  const sources = new Map<string, BoxSource>();
  return (client) => {
    const key = extensionKey(client.extensions);
    const source = sources.get(key) ?? offer(client.extensions);
    sources.set(key, source);
    return typeof source === "function" ? source(client) : source;
  };
}
