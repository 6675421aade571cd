import { errorCode } from "indusagi/core";
import {
  type HttpListener,
  type HttpServeOptions,
  ProtocolFault,
  type ProviderHost,
  serveHttp,
  sharedSecret,
  type TokenVerifier,
} from "indusagi/interop";
import type { Terminal } from "../boot/index.ts";
import { firstOf } from "../boot/internal.ts";
import type { ServeTransport } from "../launch/index.ts";
import { showClientSetup } from "./show-client-setup.ts";

/** All that is needed to listen. */
export interface HttpWay {
  readonly kind: "http";
  /** Absent: the demonstration's, or any other where that is taken. */
  readonly port: number | undefined;
  readonly options: Omit<HttpServeOptions, "port">;
}

export interface ServeOverHttpOptions {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** Say how clients connect. */
  readonly showsSetup: boolean;
}

const DEMO_PORT = 7717;
/** Requests that are running when we are told to end get this long. */
const DRAIN_MS = 500;

/** Looks for the token. Throws, with the way out, when there is none to be used. */
export function prepareHttp({
  port,
  host,
  tokenEnv,
}: Extract<ServeTransport, { readonly kind: "http" }>): HttpWay {
  const options = {
    limits: { drainMs: DRAIN_MS },
    ...(host === undefined ? {} : { host }),
    ...(tokenEnv === undefined ? {} : { verifier: verifierFrom(tokenEnv) }),
  };
  return { kind: "http", port, options };
}

/** Listens until the signal aborts. Throws, with the way out, when it cannot. */
export async function serveOverHttp(
  host: ProviderHost,
  way: HttpWay,
  { terminal, signal, showsSetup }: ServeOverHttpOptions,
): Promise<void> {
  const listener = await listen(host, way, terminal);
  try {
    terminal.out(`${listener.url}\n`);
    if (showsSetup) terminal.err(showClientSetup(listener.url));
    await firstOf([], { signal });
  } finally {
    await listener.close();
  }
}

async function listen(
  host: ProviderHost,
  { port, options }: HttpWay,
  terminal: Terminal,
): Promise<HttpListener> {
  try {
    return await serveHttp(host, { ...options, port: port ?? DEMO_PORT });
  } catch (thrown) {
    const isTaken = thrown instanceof ProtocolFault && errorCode(thrown.cause) === "EADDRINUSE";
    if (!isTaken) throw thrown;
    if (port !== undefined)
      throw new Error(`port ${port} is taken; choose another with --port, or 0 for any`, { cause: thrown });
    terminal.err(`indus: port ${DEMO_PORT} is taken; a free one is used instead\n`);
    return serveHttp(host, { ...options, port: 0 });
  }
}

/** The characters a bearer token can have at all. */
const TOKEN = /^[A-Za-z0-9\-._~+/]{16,}=*$/;

function verifierFrom(variable: string): TokenVerifier {
  const token = process.env[variable];
  if (!token) throw new Error(`--token-env: the variable ${variable} is not set; put the token into it`);
  if (!TOKEN.test(token))
    throw new Error(
      `--token-env: what ${variable} holds is no usable token; take 16 letters, digits or -._~+/ at least`,
    );
  return sharedSecret(token);
}
