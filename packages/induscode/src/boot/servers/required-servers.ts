import type { EndpointStatus, ServerConfig, ServerFleet } from "indusagi/interop";

/** Whether a command cannot do its work without this server. */
export function isRequired({ required = false, enabled = true }: ServerConfig): boolean {
  return required && enabled;
}

/** Whether a server can be called. One that does not run because it is not used yet can. */
export function isReady(fleet: ServerFleet, { id }: ServerConfig): boolean {
  const status = fleet.status().get(id);
  return status !== undefined && isUsable(status);
}

function isUsable({ phase, state }: EndpointStatus): boolean {
  return phase === "ready" || state === "dormant";
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
 * Resolves with the id of a required server that is down: it was not ready within the wait although it was tried again, its
 * start failed for good, or it failed later and is given up. While it is being restarted later it is not down. Perhaps never
 * resolves.
 */
export async function watchRequired(
  fleet: ServerFleet,
  starts: Promise<readonly StartedServer[]>,
  waitMs: number,
): Promise<string> {
  const required = (await starts).filter(({ server }) => isRequired(server));
  const ids = new Set(required.map(({ server }) => server.id));
  const untilMs = performance.now() + waitMs;
  return new Promise((resolve) => {
    /** Those that have been ready once are left to the supervisor. */
    const proven = new Set<string>();
    const started = new Set<string>();
    const check = (status: EndpointStatus): void => {
      const { server, phase, state } = status;
      if (!ids.has(server)) return;
      if (isUsable(status)) proven.add(server);
      if (started.has(server) && phase === "faulted" && isGivenUp(state)) resolve(server);
    };
    fleet.onStatus(check);
    for (const { server, settled } of required)
      void settled.then(() => {
        started.add(server.id);
        const status = fleet.status().get(server.id);
        if (!status) return; // Everything was closed in the meantime.
        check(status);
        // A start that failed is tried again until then.
        const restMs = Math.max(0, untilMs - performance.now());
        const isDown = (): boolean => !proven.has(server.id) && fleet.status().has(server.id);
        setTimeout(() => isDown() && resolve(server.id), restMs).unref();
      });
  });
}

/** A failed server that is not being restarted has no state, or one that tells why not. */
function isGivenUp(state: EndpointStatus["state"]): boolean {
  return state === undefined || state === "tripped" || state === "needs_login" || state === "untrusted";
}
