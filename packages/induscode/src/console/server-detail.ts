import { isRecord } from "indusagi/core";
import {
  appPagesOf,
  EXTENSION_KEYS,
  type ListedItem,
  type RemoteTool,
  type ServerConfig,
  type ToolDefinition,
  wireName,
} from "indusagi/interop";
import { estimateToolTokens, type JsonSchema, toolSignature } from "indusagi/llm";
import { workspaceLogs } from "../boot/internal.ts";
import { shellLine } from "../screen/index.ts";
import { MAX_NAME_CHARS, shownToolName } from "../servers/internal.ts";
import { type ServerLogEntry, showLogEntry } from "../servers/log/index.ts";
import {
  CONSOLE_LIMITS,
  type ConfigRow,
  type ServerDetail,
  type ServerItem,
  type ServerLogLine,
  type ServerPrompt,
  type ServerTool,
  type TimelineEntry,
} from "./contract.ts";
import { type Measured, summaryOf } from "./overview.ts";
import type { ConsoleSource } from "./source.ts";

const TIMELINE_ENTRIES = 200;

/** Everything about one server; undefined if there is none of this id. */
export async function serverDetail(
  source: ConsoleSource,
  id: string,
  measured: Pick<Measured, "activity" | "processes">,
): Promise<ServerDetail | undefined> {
  const { servers } = source;
  const status = servers.statuses().find(({ server }) => server === id);
  const config = servers.configs().find((row) => row.id === id);
  if (!status || !config) return undefined;
  const introduction = servers.introductionOf(id);
  const info = introduction?.serverInfo;
  const entries = await logOf(source, id);
  const items = (kind: "resources" | "templates" | "prompts"): readonly ListedItem[] =>
    servers.lastKnownItems(id, kind)?.items ?? [];
  return {
    server: summaryOf(source, status, measured),
    tools: await toolsOf(source, config),
    resources: items("resources").map(itemOf),
    templates: items("templates").map(itemOf),
    prompts: items("prompts").map((item) => promptOf(id, item)),
    instructions: introduction?.instructions,
    serverInfo: info && { name: textIn(info, "name") ?? id, version: textIn(info, "version") },
    row: (await source.rows()).find((row: ConfigRow) => row.name === id),
    logCommand: shellLine(["indus", "mcp", "log", "--", id]),
    timeline: timelineOf(entries, TIMELINE_ENTRIES),
  };
}

/** The last lines of a server's log. */
export async function serverLog(
  source: ConsoleSource,
  id: string,
  last: number,
): Promise<readonly ServerLogLine[]> {
  return (await logOf(source, id)).slice(-Math.min(last, CONSOLE_LIMITS.logLines)).map(logLine);
}

async function logOf(
  { run }: ConsoleSource,
  server: string,
): Promise<ReturnType<Awaited<ReturnType<typeof workspaceLogs>>["read"]>> {
  try {
    return (await workspaceLogs(run)).read({ server });
  } catch {
    return []; // There is no state folder.
  }
}

/** What a server lists, whether it is offered or not. */
async function toolsOf(
  { servers, run }: ConsoleSource,
  config: ServerConfig,
): Promise<readonly ServerTool[]> {
  const { fleet } = servers;
  const tools = new Map<string, ServerTool>();
  for (const key of ["", ...EXTENSION_KEYS])
    for (const tool of fleet.catalogue(config.id, key))
      if (!tools.has(tool.ref.name)) tools.set(tool.ref.name, shownTool(tool, { state: "offered" }));
  for (const { tool, message } of fleet.withheld(config.id))
    tools.set(tool.ref.name, shownTool(tool, { state: "withheld", reason: message }));
  const listing = (await run.state.memory())?.entry(config)?.listing;
  for (const definition of listing?.tools ?? [])
    if (!tools.has(definition.name)) tools.set(definition.name, hiddenTool(config, definition));
  return [...tools.values()];
}

function shownTool(
  { ref, descriptor, definition }: RemoteTool,
  { state, reason }: Pick<ServerTool, "state" | "reason">,
): ServerTool {
  return {
    name: ref.name,
    shownAs: descriptor.name,
    signature: toolSignature({ name: descriptor.name, parameters: descriptor.parameters }),
    title: descriptor.title,
    description: descriptor.description,
    annotations: isRecord(definition["annotations"]) ? definition["annotations"] : {},
    inputSchema: definition["inputSchema"],
    outputSchema: definition["outputSchema"],
    state,
    reason,
    tokens: estimateToolTokens(descriptor),
    app: appPagesOf({ definition })[0],
  };
}

/** A tool that its row leaves out, as its server listed it. */
function hiddenTool(config: ServerConfig, definition: ToolDefinition): ServerTool {
  const {
    name,
    description = "",
    inputSchema,
  } = definition as ToolDefinition & { readonly description?: string };
  const shownAs = shownToolName(config, name);
  const parameters: JsonSchema = isRecord(inputSchema) ? inputSchema : { type: "object" };
  const isNamed = config.excludeTools?.includes(name) ?? false;
  return {
    name,
    shownAs,
    signature: toolSignature({ name: shownAs, parameters }),
    title: textIn(definition, "title"),
    description,
    annotations: isRecord(definition["annotations"]) ? definition["annotations"] : {},
    inputSchema,
    outputSchema: definition["outputSchema"],
    state: "hidden",
    reason: isNamed ? "its row leaves it out" : "it is not offered in this run",
    tokens: estimateToolTokens({ name: shownAs, description, parameters }),
    app: appPagesOf({ definition })[0],
  };
}

export function itemOf(item: ListedItem): ServerItem {
  const uri = textIn(item, "uri") ?? textIn(item, "uriTemplate") ?? "";
  return {
    uri,
    name: textIn(item, "name") ?? uri,
    title: textIn(item, "title"),
    description: textIn(item, "description"),
    mimeType: textIn(item, "mimeType"),
  };
}

/** `server`: absent if the name is already the one that clients see. */
export function promptOf(server: string | undefined, item: ListedItem): ServerPrompt {
  const name = textIn(item, "name") ?? "";
  const given: unknown = item["arguments"];
  return {
    name,
    shownAs: server === undefined ? name : wireName({ server, name }, MAX_NAME_CHARS),
    title: textIn(item, "title"),
    description: textIn(item, "description"),
    arguments: (Array.isArray(given) ? given : []).filter(isRecord).map((each) => ({
      name: textIn(each, "name") ?? "",
      description: textIn(each, "description"),
      required: each["required"] === true,
    })),
  };
}

function textIn(value: { readonly [member: string]: unknown }, member: string): string | undefined {
  const found = value[member];
  return typeof found === "string" ? found : undefined;
}

/** A line of a server's log, as `indus mcp log` shows it, without its time. */
export function logLine(entry: ServerLogEntry): ServerLogLine {
  const shown = showLogEntry({ ...entry, at: "" }, { withServer: false });
  return { at: entry.at, server: entry.server, kind: entry.kind, text: shown.trim() };
}

const GOOD = /^(ready|dormant)\b/;
const BAD = /^(failed|faulted|stopped|list failed|needs|tripped)\b/;

/** The changes of a server's state, newest first. */
function timelineOf(entries: readonly ServerLogEntry[], most: number): readonly TimelineEntry[] {
  const states = entries.filter(({ kind }) => kind === "state").slice(-most);
  return states.toReversed().map((entry) => {
    const { at, text } = logLine(entry);
    return { at, text, level: GOOD.test(text) ? "good" : BAD.test(text) ? "bad" : "plain" };
  });
}
