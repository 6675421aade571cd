import { randomBytes } from "node:crypto";
import { type Environment, errorCode } from "indusagi/core";
import {
  type HttpListener,
  type HttpRoutes,
  type HttpServeOptions,
  ProtocolFault,
  type ProviderHost,
  serveHttp,
  sharedSecret,
  type TokenVerifier,
} from "indusagi/interop";

/** Where a gateway listens. */
export interface HttpTransport {
  /** Absent: the default port, or a free one if that is in use. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** The environment variable that holds the token clients must send. */
  readonly tokenEnv?: string;
  /** The token itself, if there is no such variable. */
  readonly token?: string;
}

/** Everything needed to listen, with the token already checked. */
export interface PreparedHttp {
  readonly port: number | undefined;
  readonly options: Omit<HttpServeOptions, "port" | "routes">;
  /** What is at paths below the main one. */
  readonly routes?: HttpRoutes;
}

const DEFAULT_PORT = 7717;
/** Time for running requests to finish at shutdown. */
const DRAIN_MS = 500;

/** Reads the token from the environment. Throws, with the remedy, if there is no usable one. */
export function prepareHttp({ port, host, tokenEnv, token }: HttpTransport, env: Environment): PreparedHttp {
  const verifier = tokenEnv === undefined ? token && sharedSecret(token) : verifierFrom(tokenEnv, env);
  const options = {
    limits: { drainMs: DRAIN_MS },
    ...(host === undefined ? {} : { host }),
    ...(verifier ? { verifier } : {}),
  };
  return { port, options };
}

/** Starts to listen. Throws, with the remedy, if the port is in use; a default port that is in use is replaced. */
export async function listen(
  host: ProviderHost,
  { port, options: prepared, routes }: PreparedHttp,
  report: (message: string) => void,
): Promise<HttpListener> {
  const options = { ...prepared, ...(routes && { routes }) };
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

/** A token for one run that cannot be guessed. */
export function madeToken(): string {
  return randomBytes(24).toString("base64url");
}

/** The characters that a bearer token may have, and a length that cannot be guessed. */
const TOKEN = /^[A-Za-z0-9\-._~+/]{16,}=*$/;

function verifierFrom(variable: string, env: Environment): TokenVerifier {
  const token = env[variable];
  if (!token) throw new Error(`--token-env: the variable ${variable} is not set; put the token into it`);
  if (!TOKEN.test(token))
    throw new Error(
      `--token-env: ${variable} does not hold a usable token; use at least 16 characters of A–Z a–z 0–9 -._~+/`,
    );
  return sharedSecret(token);
}
