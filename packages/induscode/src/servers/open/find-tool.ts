import { QUALIFIER, type RemoteToolRef, type ServerConfig, wireName } from "indusagi/interop";
import type { KnownListing } from "../memory/catalogue-entry.ts";
import type { ServerMemory } from "../memory/server-memory.ts";

/** The name that a tool of a server is shown under. */
export function shownToolName({ id, toolOverrides = {} }: ServerConfig, tool: string): string {
  const override = Object.hasOwn(toolOverrides, tool) ? toolOverrides[tool] : undefined;
  return wireName({ server: id, name: override?.name ?? tool }, MAX_NAME_CHARS);
}

/** The shown names of all tools that the servers listed in their last run. */
export function knownToolNames(
  servers: readonly ServerConfig[],
  memory?: Pick<ServerMemory, "entry">,
): readonly string[] {
  return listedTools(servers, memory).map(({ shown }) => shown);
}

/**
 * The server and tool of a shown name, without starting anything: a tool that a server listed in its last run or that its row
 * names, or else the tool that would have this name.
 */
export function findShownTool(
  name: string,
  servers: readonly ServerConfig[],
  memory?: Pick<ServerMemory, "entry">,
): RemoteToolRef | undefined {
  const known = listedTools(servers, memory).find(({ shown }) => shown === name);
  if (known) return known.ref;
  const possible = servers.flatMap((server) => {
    const start = `${server.id}${QUALIFIER}`;
    const tool = name.slice(start.length);
    return name.startsWith(start) && tool !== "" && shownToolName(server, tool) === name
      ? [{ server: server.id, name: tool }]
      : [];
  });
  return possible[0];
}

/** The tools that servers listed in their last run, and those that their rows name. */
export function listedTools(
  servers: readonly ServerConfig[],
  memory?: Pick<ServerMemory, "entry">,
): { readonly ref: RemoteToolRef; readonly shown: string }[] {
  return servers.flatMap((server) => {
    const listed = rememberedNames(memory?.entry(server)?.listing);
    const inRow = [
      ...Object.keys(server.toolOverrides ?? {}),
      ...(server.includeTools ?? []),
      ...(server.excludeTools ?? []),
    ];
    const names = [...new Set([...listed, ...inRow])];
    return names.map((name) => ({ ref: { server: server.id, name }, shown: shownToolName(server, name) }));
  });
}

/** The names of the tools that a server listed, for any client. */
export function rememberedNames(listing: KnownListing | undefined): readonly string[] {
  const lists = [listing, ...Object.values(listing?.classes ?? {})];
  return lists.flatMap((list) => (list?.tools ?? []).map(({ name }) => name));
}

/**
 * The longest tool name, the same in every command, so `list`, `call` and `serve` use one name per tool. Clients add a prefix
 * to the names of a gateway, and the result must fit their limit of 64 characters.
 */
export const MAX_NAME_CHARS = 48;
