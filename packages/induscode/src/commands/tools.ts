import { READ_ONLY_NAMES } from "indusagi/capabilities";
import type { Run } from "../boot/internal.ts";
import type { ToolsRequest } from "../launch/internal.ts";
import { showJson, showMountedCards, showNativeTools } from "../screen/index.ts";

/**
 * `indus tools`: lists the native tools, and those that the approved servers offered when they were last listed, as tables
 * or as JSON. Starts nothing.
 */
export async function tools(run: Run, { json, sources }: ToolsRequest): Promise<number> {
  const { terminal } = run;
  const found = await run.findServers(sources, { withoutRequired: true });
  if (!found) return 1;
  const native = (await run.openNativeTools("all", sources)).descriptors();
  const { cards, unlisted } = await run.lastKnownCards(found.configs);
  const look = terminal.outLook;
  const tables = [
    ...(native.length > 0 ? [showNativeTools(native, READ_ONLY_NAMES, look)] : []),
    ...(cards.length > 0 ? [showMountedCards(cards, look)] : []),
  ];
  const all = [...native, ...cards.map(({ descriptor }) => descriptor)];
  terminal.out(json ? showJson(all) : tables.join("\n"));
  if (unlisted.length > 0)
    run.report(`tools not known yet: ${unlisted.join(", ")}; indus mcp list starts these servers`);
  return 0;
}
