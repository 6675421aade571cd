import {
  createProviderHost,
  type HostProviders,
  linkedTransports,
  type MessageTransport,
  type RpcMessage,
} from "indusagi/interop";
import type { MCPClientOptions } from "indusagi/mcp";
import type { ToolBox } from "indusagi/runtime";
import { createServer, type ScriptedServerOptions } from "../../../../../test/servers/server.mjs";
import { inProcess } from "../../interop/kit/scripted.ts";

const UNUSED = { command: "(in this process)" };

/** Options for a client of the scripted server in this process. Every connect gets a server of its own. */
export function scriptedOptions(name: string, server: ScriptedServerOptions = {}): MCPClientOptions {
  return { name, config: UNUSED, transport: () => inProcess(server) };
}

/** Options for a client of the scripted server that lists other tools than it has. */
export function listingOptions(name: string, tools: readonly object[]): MCPClientOptions {
  const serve = (transport: MessageTransport): Promise<void> => {
    const receive = createServer((message: RpcMessage) => {
      const isListing = (message.result as { readonly tools?: unknown } | undefined)?.tools !== undefined;
      const shown = isListing ? { ...message, result: { ...(message.result as object), tools } } : message;
      void transport.send(shown).catch(() => {});
    });
    transport.onmessage = (message) => receive(message);
    return transport.start();
  };
  return { name, config: UNUSED, transport: () => connectedTo(serve) };
}

/** Options for a client of a host in this process, which speaks the modern era. */
export function hostOptions(name: string, box: ToolBox, providers: HostProviders = {}): MCPClientOptions {
  const host = createProviderHost(box, undefined, providers);
  return { name, config: UNUSED, transport: () => connectedTo((transport) => host.connect(transport)) };
}

/** One side of a pair whose other side is being served. */
export function connectedTo(serve: (transport: MessageTransport) => Promise<unknown>): MessageTransport {
  const [ours, theirs] = linkedTransports();
  void serve(theirs);
  return ours;
}
