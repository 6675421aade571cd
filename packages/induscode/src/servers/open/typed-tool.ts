import type { ServerConfig } from "indusagi/interop";
import type { ServerMemory } from "../memory/server-memory.ts";
import { shownToolName } from "./find-tool.ts";
import { prefixOf } from "./likely-servers.ts";

type KnownTools = Pick<ServerMemory, "entry">;

/**
 * The names that a typed tool may have, without starting anything: `server__tool`, `server.tool`, or the bare name of a tool
 * that servers listed in their last run. Several: the bare name is ambiguous. None: nothing is known about it.
 */
export function typedToolNames(
  typed: string,
  servers: readonly ServerConfig[],
  memory?: KnownTools,
): readonly string[] {
  if (servers.some(({ id }) => typed.startsWith(prefixOf(id)))) return [typed];
  const known = new Map(servers.map((server) => [server.id, offeredNames(server, memory)]));
  const dotted = servers
    .filter(({ id }) => typed.startsWith(`${id}.`) && typed.length > id.length + 1)
    // With the servers `a` and `a.b`, `a.b.c` is a tool of the second.
    .sort((a, b) => b.id.length - a.id.length)
    .map((server) => ({ id: server.id, name: shownToolName(server, typed.slice(server.id.length + 1)) }));
  const listed = dotted.filter(({ id, name }) => known.get(id)?.has(name));
  if (listed[0]) return [listed[0].name];
  const bare = bareToolNames(typed, servers, (name, { id }) => known.get(id)?.has(name) ?? false);
  return bare.length > 0 ? bare : dotted.slice(0, 1).map(({ name }) => name);
}

/** The names that a bare tool name has on the servers that offer it. */
export function bareToolNames(
  typed: string,
  servers: readonly ServerConfig[],
  isOffered: (name: string, server: ServerConfig) => boolean,
): readonly string[] {
  return servers.flatMap((server) => {
    const name = shownToolName(server, typed);
    return isOffered(name, server) ? [name] : [];
  });
}

/** The names of what a server offered in its last run. None if it would not be started. */
function offeredNames(server: ServerConfig, memory: KnownTools | undefined): ReadonlySet<string> {
  const { enabled = true, pending = false, includeTools, excludeTools } = server;
  const tools = enabled && !pending ? (memory?.entry(server)?.listing?.tools ?? []) : [];
  const shown = tools.filter(
    ({ name }) => !excludeTools?.includes(name) && (!includeTools || includeTools.includes(name)),
  );
  return new Set(shown.map(({ name }) => shownToolName(server, name)));
}
