import type { EndpointStatus, ServerConfig } from "indusagi/interop";

/** The first server that must be there and is not. */
export function missingServer(
  servers: readonly ServerConfig[],
  statuses: readonly EndpointStatus[],
): string | undefined {
  const ready = new Set(statuses.filter(({ phase }) => phase === "ready").map(({ server }) => server));
  return servers.find(({ id, required, enabled = true }) => required && enabled && !ready.has(id))?.id;
}
