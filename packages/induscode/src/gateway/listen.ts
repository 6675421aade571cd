import { errorCode } from "indusagi/core";
import {
  type HttpListener,
  type HttpRoutes,
  type HttpServeOptions,
  ProtocolFault,
  type ProviderHost,
  serveHttp,
} from "indusagi/interop";
import type { HttpAccess } from "./access/http-access.ts";

/** Where a gateway listens. */
export interface HttpTransport {
  /** Absent: the default port, or a free one if that is in use. */
  readonly port?: number | undefined;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** The environment variable that holds the token clients must send. Not the token: other users can read the command line. */
  readonly tokenEnv?: string | undefined;
  /** Require a token even on localhost. */
  readonly requireToken?: boolean | undefined;
  /** How long running requests may continue at shutdown. Default: 500 ms. */
  readonly drainMs?: number | undefined;
  /** How many sessions may be open. Default: 1,024, and 128 for each token. */
  readonly maxSessions?: number | undefined;
}

/** Everything needed to listen. */
export interface PreparedHttp {
  readonly port: number | undefined;
  readonly options: Omit<HttpServeOptions, "port" | "routes" | "pages" | "site">;
  /** The paths below the main one. */
  readonly routes?: HttpRoutes;
  /** Other paths, such as `/healthz`. */
  readonly pages?: NonNullable<HttpServeOptions["pages"]>;
  /** The console. */
  readonly site?: HttpServeOptions["site"] | undefined;
  /** The sessions of other gateways. */
  readonly elsewhere?: HttpServeOptions["elsewhere"];
}

export const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7717;
const DRAIN_MS = 500;
const MIN_CONNECTIONS = 4096;
/** How soon a revoked token's streams and calls end. */
const RECHECK_MS = 2_000;
/** The same in a cluster, where the gateway learns of it over NATS first. */
const CLUSTER_RECHECK_MS = 1_000;

export function prepareHttp(
  { port, host, drainMs = DRAIN_MS, maxSessions }: HttpTransport,
  access: HttpAccess,
  isOfCluster = false,
): PreparedHttp {
  const { verifier, admitsAnonymous } = access;
  const options = {
    limits: {
      drainMs,
      recheckMs: isOfCluster ? CLUSTER_RECHECK_MS : RECHECK_MS,
      ...sessionLimits(maxSessions),
    },
    sessionsHint: "allow more with indus serve --max-sessions",
    ...(host === undefined ? {} : { host }),
    ...(verifier ? { verifier, admitsAnonymous } : {}),
  };
  return { port, options };
}

/** A user who names a number means it for everyone, also for the clients of one token. */
function sessionLimits(sessions: number | undefined): HttpServeOptions["limits"] {
  if (sessions === undefined) return {};
  // Each may have a stream and a request, on a connection of its own.
  const connections = Math.max(MIN_CONNECTIONS, 2 * sessions);
  return { sessions, sessionsPerPrincipal: sessions, streamsPerPrincipal: sessions, connections };
}

/** Listens. Throws, with the fix, if the port is in use; the default port falls back to a free one. */
export async function listen(
  host: ProviderHost,
  { port, options: prepared, routes, pages, site, elsewhere }: PreparedHttp,
  report: (message: string) => void,
): Promise<HttpListener> {
  const options = {
    ...prepared,
    ...(routes && { routes }),
    ...(pages && { pages }),
    ...(site && { site }),
    elsewhere,
  };
  try {
    return await serveHttp(host, { ...options, port: port ?? DEFAULT_PORT });
  } catch (thrown) {
    const isTaken = thrown instanceof ProtocolFault && errorCode(thrown.cause) === "EADDRINUSE";
    if (!isTaken) throw thrown;
    if (port !== undefined)
      throw new Error(`port ${port} is in use; choose another with --port, or 0 for any`, { cause: thrown });
    const listener = await serveHttp(host, { ...options, port: 0 });
    report(`port ${DEFAULT_PORT} is in use; using ${new URL(listener.url).port}`);
    return listener;
  }
}
