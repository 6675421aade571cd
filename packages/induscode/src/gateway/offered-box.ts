import { type BoxSource, extensionKey, type HostClient, isAppOnly } from "indusagi/interop";
import {
  type CodeOptions,
  type EconomyOptions,
  economize,
  economizedTools,
  listCost,
  type ToolBox,
} from "indusagi/runtime";
import { clientLimits } from "./client-limits.ts";
import { STATUS_TOOL } from "./status-box.ts";

/**
 * Which tools `indus serve` lists: all, a few with a search for the rest, either, depending on the client and the number of tools, or
 * a search for functions and a tool that runs programs with them.
 */
export type ToolsMode = "all" | "search" | "auto" | "code";

export interface OfferedBoxOptions {
  /** Default: `all`. */
  readonly mode?: ToolsMode | undefined;
  /** Applied to a box before clients see it. */
  readonly finish: (box: ToolBox) => ToolBox;
  /** Replaces large results by previews. Default: none. */
  readonly shorten?: (box: ToolBox) => ToolBox;
  /** How the functions of programs wait for tools that are not listed yet. Default: they do not. */
  readonly listing?: CodeOptions["listing"];
  /** List the tools that were used last. Default: yes. */
  readonly listsRecent?: boolean | undefined;
}

/** Tools that only apps call are listed, because the client passes their calls on; a model must not find them. */
const ECONOMY: EconomyOptions = { pinned: [STATUS_TOOL], isForPrograms: isAppOnly };

/** The tools offered to each client. Clients with the same limits share a box, and with it the tools used last. */
export function offeredBox(
  whole: ToolBox,
  { mode = "all", finish, shorten = (box) => box, listing, listsRecent = true }: OfferedBoxOptions,
): BoxSource {
  const economy = listsRecent ? ECONOMY : { ...ECONOMY, recent: 0 };
  // A program reads whole results; only its own is shortened.
  if (mode === "code")
    return finish(shorten(economize(whole, { ...ECONOMY, mode, code: { resultChars: "whole", listing } })));
  const box = shorten(whole);
  if (mode === "all") return finish(box);
  if (mode === "search") return finish(economize(box, economy));
  const byLimits = new Map<string, ToolBox>();
  return ({ client }) => {
    const above = clientLimits(client);
    const key = JSON.stringify(Object.values(above));
    const known = byLimits.get(key);
    if (known) return known;
    const offered = finish(economize(box, { ...economy, above }));
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

/** What listing tools costs a model in each request, in estimated tokens. */
export interface ListingCost {
  readonly mode: ToolsMode;
  readonly tools: number;
  readonly tokens: number;
  /** The tools listed in this mode; for `auto`, to a client without known limits. */
  readonly listed: number;
  readonly listedTokens: number;
  /** What the search would cost, or costs. */
  readonly searchTokens: number;
}

export function listingCost(box: ToolBox, mode: ToolsMode = "all"): ListingCost {
  const all = box.descriptors();
  const search = economizedTools(all);
  const tokens = listCost(all);
  const options: EconomyOptions =
    mode === "auto" ? { above: clientLimits() } : mode === "code" ? { ...ECONOMY, mode } : {};
  const listed = mode === "all" ? all : economizedTools(all, options);
  return {
    mode,
    tools: all.length,
    tokens,
    listed: listed.length,
    listedTokens: listCost(listed),
    searchTokens: listCost(search),
  };
}
