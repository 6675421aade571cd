import { QUALIFIER, type ServerConfig } from "indusagi/interop";
import type { Run } from "../../boot/internal.ts";
import type { ServerMemory } from "../memory/server-memory.ts";
import { MAX_NAME_CHARS, shownToolName } from "./find-tool.ts";

/** A hashed name ends in `_` and eight digits, and may lack as much of its start. */
const HASH_CHARS = 9;

/** `serversLikelyFor` with what earlier runs learned. */
export async function likelyServers(
  { state }: Pick<Run, "state">,
  tool: string,
  servers: readonly ServerConfig[],
): Promise<readonly ServerConfig[]> {
  return serversLikelyFor(tool, servers, await state.memory());
}

/**
 * The servers that a tool probably belongs to: those whose id is a prefix of its name and, if that leaves several or none,
 * those that listed it last time. Only a hint for what to start first: the call is still looked up by name. Empty if there is
 * no hint.
 */
export function serversLikelyFor(
  tool: string,
  servers: readonly ServerConfig[],
  memory?: Pick<ServerMemory, "entry">,
): readonly ServerConfig[] {
  const named = servers.filter(({ id }) => tool.startsWith(prefixOf(id)));
  if (named.length === 1) return named;
  const listed = (named.length > 0 ? named : servers).filter((server) =>
    memory?.entry(server)?.listing?.tools.some(({ name }) => shownToolName(server, name) === tool),
  );
  return listed.length > 0 ? listed : named;
}

/** The prefix of all tool names of a server, hashed or not. */
export function prefixOf(id: string): string {
  const cleaned = `${id}${QUALIFIER}`.replace(/[^A-Za-z0-9_-]/g, "_");
  return cleaned.slice(0, MAX_NAME_CHARS - HASH_CHARS);
}
