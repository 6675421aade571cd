import { fileURLToPath } from "node:url";
import {
  type InjectedTransport,
  linkedTransports,
  type RpcMessage,
  type StdioServerConfig,
} from "indusagi/interop";
import { createServer, type ScriptedServerOptions } from "../../../../../test/servers/server.mjs";

const script = fileURLToPath(new URL("../../../../../test/servers/server.mjs", import.meta.url));

/** The scripted server as a process. */
export function scripted(id: string, ...args: string[]): StdioServerConfig {
  return { kind: "stdio", id, command: process.execPath, args: [script, ...args] };
}

/** The scripted server in this process, behind a transport. */
export function inProcess(options: ScriptedServerOptions = {}): InjectedTransport {
  const [client, server] = linkedTransports();
  const receive = createServer((message: RpcMessage) => void server.send(message).catch(() => {}), options);
  server.onmessage = (message) => receive(message);
  void server.start();
  return client;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
