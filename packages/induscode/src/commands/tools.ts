import { READ_ONLY_NAMES } from "indusagi/capabilities";
import { openNativeTools, type Run } from "../boot/internal.ts";
import {
  type CommandSpec,
  JSON_OUTPUT,
  readSources,
  SERVER_FLAGS,
  type ServerSources,
} from "../launch/internal.ts";
import { showJson, showMountedCards, showNativeTools } from "../screen/index.ts";
import { findServers, lastKnownCards } from "../servers/internal.ts";

interface ToolsRequest {
  readonly json: boolean;
  readonly sources: ServerSources;
}

export const TOOLS: CommandSpec<ToolsRequest> = {
  name: "tools",
  group: "everyday",
  summary:
    "List the native tools, and the tools that the configured servers offered last time. Starts nothing.",
  flags: [JSON_OUTPUT, ...SERVER_FLAGS],
  examples: ["indus tools", "indus tools --tools 'read,notes__*' --json"],
  read: (flags) => ({ json: flags.has("--json"), sources: readSources(flags) }),
};

/**
 * `indus tools`: lists the native tools, and those that the approved servers offered last time, as tables or as JSON. Starts
 * nothing.
 */
export async function tools(run: Run, { json, sources }: ToolsRequest): Promise<number> {
  const { terminal } = run;
  const found = await findServers(run, sources, { withoutRequired: true });
  if (!found) return 1;
  const native = (await openNativeTools(run, "all", sources)).descriptors();
  const { cards, unlisted } = await lastKnownCards(run, found.configs);
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
