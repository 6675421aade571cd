import type { ServerConfig } from "indusagi/interop";
import type { Run } from "../boot/internal.ts";
import { readSettings } from "../conductor/open/internal.ts";
import {
  type CommandSpec,
  canonToolName,
  isMountedPattern,
  JSON_OUTPUT,
  ON_REQUEST,
  readSources,
  SERVER_FLAGS,
  type ServerSources,
} from "../launch/internal.ts";
import { labelled, showJson, showMountedCards, showOwnTools } from "../screen/index.ts";
import type { Look } from "../screen/internal.ts";
import { findServers, lastKnownCards } from "../servers/internal.ts";

interface ToolsRequest {
  readonly json: boolean;
  readonly sources: ServerSources;
}

export const TOOLS: CommandSpec<ToolsRequest> = {
  name: "tools",
  group: "everyday",
  summary:
    "List the native tools, marking those that a session offers, and the tools that the configured servers offered last time. Starts nothing.",
  flags: [JSON_OUTPUT, ...SERVER_FLAGS],
  examples: ["indus tools", "indus tools --tools 'read,notes__*' --json"],
  read: (flags) => ({ json: flags.has("--json"), sources: readSources(flags) }),
};

/**
 * `indus tools`: lists our own tools, and those that the approved servers offered last time, as tables or as JSON. Starts
 * nothing.
 */
export async function tools(run: Run, { json, sources }: ToolsRequest): Promise<number> {
  const { terminal } = run;
  const found = await findServers(run, sources, { withoutRequired: true });
  if (!found) return 1;
  const own = await ownTools(run, sources, found.configs);
  const { cards, unlisted } = await lastKnownCards(run, found.configs);
  if (json) {
    const marked = own.map(({ descriptor, isOffered }) => ({ ...descriptor, isOffered }));
    terminal.out(showJson([...marked, ...cards.map(({ descriptor }) => descriptor)]));
  } else {
    const look = terminal.outLook ?? {};
    const tables = [
      ...(own.length > 0 ? [showOwnTools(own, look) + onRequestNote(own, look)] : []),
      ...(cards.length > 0 ? [showMountedCards(cards, look)] : []),
    ];
    terminal.out(tables.join("\n"));
  }
  if (unlisted.length > 0)
    run.report(`tools not known yet: ${unlisted.join(", ")}; indus mcp list starts these servers`);
  return 0;
}

type OwnTool = Parameters<typeof showOwnTools>[0][number];

/**
 * The cards that `--tools` and `--no-tools` keep. A session offers those that `--tools` or the project's settings name, or else
 * all but a few.
 */
async function ownTools(
  run: Run,
  { tools: words = [], noTools = false }: ServerSources,
  configs: readonly ServerConfig[],
): Promise<OwnTool[]> {
  const { openSessionTools } = await import("../boot/tools/index.ts");
  const deck = await openSessionTools(run, { tools: words, noTools }, {});
  const chosen = words.length > 0 ? words : ((await readSettings(run)).project.values.tools ?? []);
  const named = chosen.filter((word) => !isMountedPattern(word)).map(canonToolName);
  const hasConnectors = configs.some(
    ({ connectors, pending, enabled }) => connectors && !pending && enabled !== false,
  );
  const isUsual = (name: string): boolean =>
    !ON_REQUEST.includes(name) || (hasConnectors && name === "saas-action");
  return (deck?.tools() ?? []).map(({ name, descriptor, readOnly }) => ({
    descriptor,
    readOnly,
    isOffered: named.length > 0 ? named.includes(canonToolName(name)) : isUsual(name),
  }));
}

function onRequestNote(own: readonly OwnTool[], { width }: Look): string {
  if (own.every(({ isOffered }) => isOffered)) return "";
  const note = "on request: a session offers it only if --tools names it; with connectors also saas-action";
  return `\n${labelled("", note, width)}`;
}
