import type { EndpointStatus, ServerConfig, ServerFleet } from "indusagi/interop";

/** Whether a command cannot do its work without this server. */
export function isRequired({ required = false, enabled = true }: ServerConfig): boolean {
  return required && enabled;
}

export function isReady(fleet: ServerFleet, { id }: ServerConfig): boolean {
  return fleet.status().get(id)?.phase === "ready";
}

/** A server whose start has begun. */
export interface StartedServer {
  readonly server: ServerConfig;
  /** Its tools were not known before, and its start is likely to succeed. */
  readonly isLearned: boolean;
  /** Resolves when it is connected and listed, or has failed. */
  readonly settled: Promise<void>;
}

/**
 * Resolves with the id of a required server that is down: its first start failed, or it failed later and is given up. While
 * it is being restarted it is not down. Perhaps never resolves.
 */
export async function watchRequired(
  fleet: ServerFleet,
  starts: Promise<readonly StartedServer[]>,
): Promise<string> {
  const required = (await starts).filter(({ server }) => isRequired(server));
  return new Promise((resolve) => {
    const started = new Set<string>();
    const check = ({ server, phase, state }: EndpointStatus, isFirst: boolean): void => {
      if (phase === "faulted" && (isFirst || isGivenUp(state))) resolve(server);
    };
    for (const { server, settled } of required)
      void settled.then(() => {
        started.add(server.id);
        const status = fleet.status().get(server.id);
        if (status) check(status, true);
      });
    fleet.onStatus((status) => {
      if (started.has(status.server)) check(status, false);
    });
  });
}

/** A failed server that is not being restarted has no state, or one that tells why not. */
function isGivenUp(state: EndpointStatus["state"]): boolean {
  return state === undefined || state === "tripped" || state === "needs_login" || state === "untrusted";
}
