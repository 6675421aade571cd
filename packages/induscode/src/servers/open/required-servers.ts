import type { EndpointStatus, ServerConfig, ServerFleet } from "indusagi/interop";
import { serverReport } from "../doctor/index.ts";

/** Whether a command cannot do its work without this server. */
export function isRequiredServer({ required = false, enabled = true }: ServerConfig): boolean {
  return required && enabled;
}

/** Whether a server can be used. Listing may still fail after it has connected, so its first listing counts too. */
export function isReady(status: EndpointStatus | undefined, hasListed: (server: string) => boolean): boolean {
  if (!status) return false;
  const { server, isUsable, mayBeListing } = serverReport(status);
  return isUsable && (!mayBeListing || hasListed(server));
}

/** A server whose start has begun. */
export interface StartedServer {
  readonly server: ServerConfig;
  /** Its tools were not known before, and it is not given up. */
  readonly isLearned: boolean;
  /** Resolves when it is connected and listed, or has failed. */
  readonly settled: Promise<void>;
  /** The same; also when its start shows no sign of work. */
  readonly answered: Promise<void>;
}

export interface RequiredWatch {
  readonly starts: Promise<readonly StartedServer[]>;
  readonly waitMs: number;
  /** Whether a server has listed its tools in this run. */
  readonly hasListed: (server: string) => boolean;
}

/**
 * Resolves with the id of a required server that is down: it was not ready within the wait, even with retries, its start failed
 * for good, or it failed later and is not restarted. A server that is being restarted is not down. May never resolve.
 */
export async function watchRequired(
  fleet: ServerFleet,
  { starts, waitMs, hasListed }: RequiredWatch,
): Promise<string> {
  const required = (await starts).filter(({ server }) => isRequiredServer(server));
  const ids = new Set(required.map(({ server }) => server.id));
  const untilMs = performance.now() + waitMs;
  return new Promise((resolve) => {
    /** Servers that were ready once are left to the supervisor. */
    const proven = new Set<string>();
    const started = new Set<string>();
    const check = (status: EndpointStatus): void => {
      const { server } = status;
      if (!ids.has(server)) return;
      if (isReady(status, hasListed)) proven.add(server);
      const { standing, needsUser } = serverReport(status);
      // A failed listing is retried, like a failed start.
      if (started.has(server) && (standing === "down" || needsUser)) resolve(server);
    };
    const checkNow = (id: string): void => {
      const status = fleet.statusOf(id);
      if (status) check(status); // Without one, everything was closed meanwhile.
    };
    fleet.onStatus(check);
    for (const { server, settled } of required)
      void settled.then(() => {
        started.add(server.id);
        checkNow(server.id);
        // A failed start is retried until then.
        const restMs = Math.max(0, untilMs - performance.now());
        setTimeout(() => {
          checkNow(server.id);
          if (!proven.has(server.id) && fleet.status().has(server.id)) resolve(server.id);
        }, restMs).unref();
      });
  });
}

/** Why a run cannot continue without a required server. */
export function requiredProblem(fleet: ServerFleet, id: string): string {
  const summary = fleet.statusOf(id)?.summary;
  const why = summary === undefined ? "" : ` (${summary})`;
  return `server "${id}" is required, but it is down${why}; correct it or set "required": false`;
}
