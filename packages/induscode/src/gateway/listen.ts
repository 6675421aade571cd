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
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** The environment variable that holds the token clients must send. */
  readonly tokenEnv?: string;
  /** No request is served without a token. */
  readonly requireToken?: boolean;
  /** How long running requests may go on at shutdown. Default 500 ms. */
  readonly drainMs?: number;
}

/** Everything needed to listen. */
export interface PreparedHttp {
  readonly port: number | undefined;
  readonly options: Omit<HttpServeOptions, "port" | "routes" | "pages">;
  /** What is at paths below the main one. */
  readonly routes?: HttpRoutes;
  /** What is at other paths, such as `/healthz`. */
  readonly pages?: NonNullable<HttpServeOptions["pages"]>;
}

export const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7717;
/** Time for running requests to finish at shutdown. */
const DRAIN_MS = 500;
/** How soon the streams and calls of a revoked token end. */
const RECHECK_MS = 2_000;

export function prepareHttp(
  { port, host, drainMs = DRAIN_MS }: HttpTransport,
  access: HttpAccess,
): PreparedHttp {
  const { verifier, admitsAnonymous } = access;
  const options = {
    limits: { drainMs, recheckMs: RECHECK_MS },
    ...(host === undefined ? {} : { host }),
    ...(verifier ? { verifier, admitsAnonymous } : {}),
  };
  return { port, options };
}
/** Starts to listen. Throws, with the remedy, if the port is in use; a default port that is in use is replaced. */
export async function listen(
  host: ProviderHost,
  { port, options: prepared, routes, pages }: PreparedHttp,
  report: (message: string) => void,
): Promise<HttpListener> {
  const options = { ...prepared, ...(routes && { routes }), ...(pages && { pages }) };
  try {
    return await serveHttp(host, { ...options, port: port ?? DEFAULT_PORT });
  } catch (thrown) {
    const isTaken = thrown instanceof ProtocolFault && errorCode(thrown.cause) === "EADDRINUSE";
    if (!isTaken) throw thrown;
    if (port !== undefined)
      throw new Error(`port ${port} is taken; choose another with --port, or 0 for any`, { cause: thrown });
    report(`port ${DEFAULT_PORT} is taken; a free one is used instead`);
    return serveHttp(host, { ...options, port: 0 });
  }
}
