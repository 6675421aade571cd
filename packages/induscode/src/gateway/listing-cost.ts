import { type EconomyOptions, economizedTools, listCost, type ToolBox } from "indusagi/runtime";
import { clientLimits } from "./client-limits.ts";
import { ECONOMY, type ToolsMode } from "./offered-box.ts";

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
