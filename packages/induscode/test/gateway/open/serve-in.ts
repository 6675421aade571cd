import type { TempDir } from "@indus/testkit";
import { createServerEndpoint, type ServerConfig, type ServerEndpoint } from "indusagi/interop";
import { openRun, type Run } from "../../../src/boot/internal.ts";
import { type Gateway, openGateway } from "../../../src/gateway/open/internal.ts";
import { scriptedRow } from "../../bin/run-indus.ts";

type GatewayOptions = Parameters<typeof openGateway>[1];
export type Offered = Omit<GatewayOptions, "servers" | "transport"> &
  Partial<Pick<GatewayOptions, "transport">>;

export interface Served extends AsyncDisposable {
  readonly run: Run;
  readonly gateway: Gateway;
  readonly url: string;
  readonly token: string | undefined;
  readonly reports: string[];
}

/** A gateway at a free port, with one server unless `servers` has others. */
export function serveIn(dir: TempDir, offered: Offered, servers?: readonly ServerConfig[]): Promise<Served> {
  return serveFound(dir, async () => ({ ...offered, ...(servers && { servers }) }));
}

/** What is served, and what is done with the gateway before that. */
export interface Found extends Offered {
  readonly servers?: readonly ServerConfig[];
  readonly onOpen?: (gateway: Gateway) => void;
}

/** The same, with what a run finds. */
export async function serveFound(dir: TempDir, find: (run: Run) => Promise<Found>): Promise<Served> {
  const stop = new AbortController();
  const reports: string[] = [];
  const terminal = { out: () => {}, err: (text: string) => void reports.push(text) };
  const env = { XDG_STATE_HOME: dir.at("state"), HOME: dir.at("home") };
  const run = await openRun({ terminal, signal: stop.signal, cwd: dir.path, env });
  const row = scriptedRow() as { command: string; args: string[] };
  const { servers, onOpen, ...offered } = await find(run);
  const gateway = await openGateway(run, {
    servers: servers ?? [{ kind: "stdio", id: "s", ...row }],
    transport: { kind: "http", port: 0 },
    ...offered,
  });
  onOpen?.(gateway);
  let serving: Promise<void> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    serving = gateway.serve(resolve);
    serving.catch(reject);
  });
  return {
    run,
    gateway,
    url,
    token: gateway.token,
    reports,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await serving;
      await run[Symbol.asyncDispose]();
    },
  };
}

/** A client of a gateway, connected. */
export async function connectTo(
  url: string,
  options: Parameters<typeof createServerEndpoint>[2] & { readonly token?: string | undefined } = {},
): Promise<ServerEndpoint> {
  const { token, ...rest } = options;
  const headers = token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
  const config: ServerConfig = { kind: "streamable-http", id: "gateway", url, ...headers };
  const client = createServerEndpoint(config, undefined, rest);
  await client.open();
  return client;
}

/** The names of the tools that a client is offered. */
export async function names(client: ServerEndpoint): Promise<string[]> {
  return (await client.listTools()).map(({ definition }) => definition.name);
}
