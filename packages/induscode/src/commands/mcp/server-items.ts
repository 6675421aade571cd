import { describeError, escapeForDisplay } from "indusagi/core";
import type { ItemKind, ListedItem, Relay, ServerItems } from "indusagi/interop";
import type { Run } from "../../boot/internal.ts";
import { promptName, type ServerItem } from "../../conductor/mentions/index.ts";
import {
  type Flag,
  JSON_OUTPUT,
  type ParsedFlags,
  readSaveTo,
  readSources,
  readTimeout,
  SAVE_TO,
  SERVER_FLAGS,
  type ServerSources,
  TIMEOUT,
} from "../../launch/internal.ts";
import { MAX_NAME_CHARS } from "../../servers/internal.ts";

/** The common part of requests for one resource or prompt. */
export interface OneItem {
  readonly sources: ServerSources;
  /** Which server, if several have it. */
  readonly server?: string | undefined;
  readonly json: boolean;
  readonly timeoutMs?: number;
  /** The folder for images and other binary content. */
  readonly saveTo?: string;
}

export const ITEM_FLAGS: readonly Flag[] = [
  {
    name: "--server",
    aliases: [],
    kind: "string",
    value: "SERVER",
    describe: "Which server to use, if several have it.",
  },
  JSON_OUTPUT,
  TIMEOUT,
  SAVE_TO,
  ...SERVER_FLAGS,
];

export function readItem(flags: ParsedFlags): OneItem {
  const server = flags.value("--server");
  return {
    sources: readSources(flags),
    json: flags.has("--json"),
    server,
    ...readTimeout(flags),
    ...readSaveTo(flags),
  };
}

/** The items of all servers in one list. Reports what could not be listed. */
export async function listOf(
  run: Run,
  relay: Relay,
  kind: ItemKind,
  servers: readonly string[],
): Promise<readonly ServerItem[]> {
  const lists = await relay.list(kind, { servers, signal: run.signal });
  for (const list of lists) reportGaps(run, kind, list);
  return lists.flatMap(({ server, items }) => items.map((item) => ({ server, item })));
}

function reportGaps({ report }: Run, kind: ItemKind, { server, fault, note }: ServerItems): void {
  if (fault) report(`the ${kind} of server "${server}" could not be listed: ${describeError(fault)}`);
  else if (note !== undefined) report(`the ${kind} of server "${server}" are incomplete: ${note}`);
}

/** A member of an item as one line of text. Empty if absent. */
export function words(item: ListedItem, member: string): string {
  const value = item[member];
  return typeof value === "string" ? escapeForDisplay(value.replaceAll(/\s+/g, " ").trim()) : "";
}

/** The name under which commands show a prompt. */
export function shownPromptName(prompt: ServerItem): string {
  return promptName(prompt, MAX_NAME_CHARS);
}
