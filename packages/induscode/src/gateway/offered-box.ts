import type { BoxSource } from "indusagi/interop";
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

/** The tools offered to each client. Clients with the same limits share a box, and with it the tools used last. */
export function offeredBox(box: ToolBox, { mode = "all", finish }: OfferedBoxOptions): BoxSource {
  if (mode === "all") return finish(box);
  if (mode === "search") return finish(economize(box, { pinned: [STATUS_TOOL] }));
  const byLimits = new Map<string, ToolBox>();
  return ({ client }) => {
    const above = clientLimits(client);
    const key = JSON.stringify(Object.values(above));
    const known = byLimits.get(key);
    if (known) return known;
    const offered = finish(economize(box, { above, pinned: [STATUS_TOOL] }));
    byLimits.set(key, offered);
    return offered;
  };
}
