import { fileURLToPath } from "node:url";
import {
  createServerEndpoint,
  type EndpointOptions,
  type InjectedTransport,
  linkedTransports,
  type ProtocolFault,
  type RpcMessage,
  type ServerConfig,
  type ServerEndpointImpl,
  type StdioServerConfig,
} from "indusagi/interop";
import { createEvil, type EvilOptions } from "../../../../../test/servers/evil.mjs";

const script = fileURLToPath(new URL("../../../../../test/servers/evil.mjs", import.meta.url));

/** The evil server as a process. */
export function evil(id: string, options: EvilOptions = {}): StdioServerConfig {
  return { kind: "stdio", id, command: process.execPath, args: [script, JSON.stringify(options)] };
}

/** The evil server in this process, behind a transport. It leaves by closing its side of the pair. */
export function evilInProcess(options: EvilOptions = {}): InjectedTransport {
  const [client, server] = linkedTransports();
  const receive = createEvil(
    {
      send: (message) => void server.send(message as RpcMessage).catch(() => {}),
      exit: () => void server.close(),
    },
    options,
  );
  server.onmessage = (message) => receive(message);
  void server.start();
  return client;
}

export type OpenEndpoint = ServerEndpointImpl & AsyncDisposable;

/** An open endpoint that is closed at the end of its scope. */
export async function opened(
  config: ServerConfig,
  options: EndpointOptions = {},
  transport?: InjectedTransport,
): Promise<OpenEndpoint> {
  const endpoint = createServerEndpoint(config, transport, { probeMs: 15_000, ...options });
  await endpoint.open();
  return Object.assign(endpoint, { [Symbol.asyncDispose]: () => endpoint.close() });
}

/** Calls the only tool; its arguments determine what it does. */
export async function act(
  endpoint: ServerEndpointImpl,
  misdeed: string,
  args: { readonly [name: string]: unknown } = {},
  signal?: AbortSignal,
): Promise<string> {
  const result = await endpoint.invoke("act", { do: misdeed, ...args }, signal ? { signal } : {});
  return (result.content[0] as { readonly text: string }).text;
}

/** The fault that a promise rejects with. Anything else, including success, is an error of the test. */
export async function faultOf(work: Promise<unknown>): Promise<ProtocolFault> {
  const outcome = await work.then(
    (value) => new Error(`it went well: ${JSON.stringify(value)?.slice(0, 200)}`),
    (thrown: unknown) => thrown,
  );
  if (outcome instanceof Error && outcome.name === "ProtocolFault") return outcome as ProtocolFault;
  throw outcome;
}

/** The duration in milliseconds, and the result. */
export async function timed<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly ms: number; readonly value: Value }> {
  const startMs = performance.now();
  const value = await work();
  return { ms: performance.now() - startMs, value };
}
