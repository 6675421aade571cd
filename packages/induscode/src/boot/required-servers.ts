import type { EndpointStatus, ServerConfig, ServerFleet } from "indusagi/interop";

/** Whether a command cannot do its work without this server. */
export function isRequired({ required = false, enabled = true }: ServerConfig): boolean {
  return required && enabled;
}

export function isReady(fleet: ServerFleet, { id }: ServerConfig): boolean {
  return fleet.status().get(id)?.phase === "ready";
}

/**
 * Resolves with the id of a required server that is down: its first start failed, or it failed later and is given up. While
 * it is being restarted it is not down. Perhaps never resolves.
 */
export function watchRequired(
  servers: readonly ServerConfig[],
  fleet: ServerFleet,
  settledOf: (isMeant: (server: ServerConfig) => boolean) => Promise<void>,
): Promise<string> {
  const required = servers.filter(isRequired);
  return new Promise((resolve) => {
    const started = new Set<string>();
    for (const server of required)
      void settledOf(({ id }) => id === server.id).then(() => {
        started.add(server.id);
        const status = fleet.status().get(server.id);
        if (status?.phase === "faulted") resolve(server.id);
      });
    if (required.length > 0)
      fleet.onStatus((status) => {
        if (started.has(status.server) && isGivenUp(status)) resolve(status.server);
      });
  });
}

/** A failed server that is not being restarted has no state, or one that says why not. */
function isGivenUp({ phase, state }: EndpointStatus): boolean {
  return phase === "faulted" && (state === undefined || state === "tripped" || state === "needs_login");
}
