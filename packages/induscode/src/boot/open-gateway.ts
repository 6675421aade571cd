import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Environment } from "indusagi/core";
import {
  createProviderHost,
  type ProviderHost,
  type ServerConfig,
  type ServerTimeouts,
  serveStdio,
} from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";
import { gatewayBox, type HttpTransport, listen, prepareHttp } from "../gateway/index.ts";
import { firstOf } from "./first-of.ts";
import { isRequired, type OpenServers, type OpenServersOptions } from "./open-servers.ts";
import { productVersion } from "./product-version.ts";

export interface GatewayOptions {
  readonly servers: readonly ServerConfig[];
  readonly transport: { readonly kind: "stdio" } | ({ readonly kind: "http" } & HttpTransport);
  /** For servers without time limits of their own. A call that passes such a limit counts as late, but is not ended. */
  readonly timeouts?: ServerTimeouts;
  /** The folder in which the native tools work. Default: the current folder. */
  readonly cwd?: string;
}

/** The native read-only tools and the tools of all servers, ready to be served. It closes with its run. */
export interface Gateway {
  readonly servers: OpenServers;
  /** Serves until the run's signal aborts or, over stdio, the input ends. `onListening` is called with the URL. */
  serve(onListening: (url: string) => void): Promise<void>;
}

/** The parts of a run that a gateway is made of. */
export interface GatewayRun {
  readonly signal: AbortSignal;
  readonly env: Environment;
  readonly report: (message: string) => void;
  openNativeTools(collection: string, cwd: string): Promise<ToolBox>;
  openServers(options: OpenServersOptions): Promise<OpenServers>;
  /** Closes something before everything that was opened earlier. */
  defer(close: () => void | Promise<void>): void;
}

/** Servers that take longer to start join the gateway later. */
const WAIT_MS = 5_000;

/** Opens the tools of a gateway and waits a while for the servers. Throws, with the remedy, if that is not possible. */
export async function openGateway(
  run: GatewayRun,
  { servers: configs, transport, timeouts, cwd = "." }: GatewayOptions,
): Promise<Gateway> {
  const { signal, report } = run;
  // First, so that no server is started for a token or a folder that does not exist.
  const http = transport.kind === "http" ? prepareHttp(transport, run.env) : undefined;
  const native = await run.openNativeTools("read-only", existingFolder(cwd));
  // The callers are not known yet. The host declines a question that its caller cannot answer.
  const relays = { elicit: { form: true, url: true }, sample: {} };
  const servers = await run.openServers({
    servers: configs,
    report,
    relays,
    patience: "caller", // A client must not be cut off earlier than by the server itself.
    ...(timeouts ? { timeouts } : {}),
  });
  const box = gatewayBox(native, servers.box, report);
  await firstOf([servers.settled], { signal, ...(configs.some(isRequired) ? {} : { waitMs: WAIT_MS }) });
  return {
    servers,
    serve: async (onListening) => {
      const info = { name: "indus", title: "Indus", version: productVersion() };
      const host = createProviderHost(box, info, {}, { report });
      if (!http) return serveOverStdio(host, signal);
      const listener = await listen(host, http, report);
      run.defer(() => listener.close());
      onListening(listener.url);
      await firstOf([], { signal });
    },
  };
}

async function serveOverStdio(host: ProviderHost, signal: AbortSignal): Promise<void> {
  const running = await serveStdio(host);
  await firstOf([running.waiting()], { signal });
  await running.cancel();
}

function existingFolder(given: string): string {
  const folder = resolve(given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`--cwd: ${given} is not a folder; name an existing one`);
  return folder;
}
