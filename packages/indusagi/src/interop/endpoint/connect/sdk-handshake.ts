import type { Client } from "@modelcontextprotocol/client";
import type { HandshakeOptions, Peer } from "./handshake.ts";

/** Shakes hands with a server through the SDK's client: for HTTP, and to compare it with our own handshake. */
export async function shakeHandsBySdk(options: HandshakeOptions): Promise<Peer> {
  const { transport, identity, capabilities, era, probeMs, connectMs, signal, onClosed } = options;
  // Loading the SDK takes about as long as starting a process, so the process starts first.
  if (transport.isProcess) await transport.startEarly();
  const { Client, SseError } = await import("@modelcontextprotocol/client");
  const client = new Client(identity, {
    capabilities,
    versionNegotiation: {
      mode: era === "legacy" ? "legacy" : "auto",
      probe: { timeoutMs: probeMs, maxRetries: 0 },
    },
  });
  client.onclose = onClosed;
  // Most errors here are advisory, such as late progress. The exception is a broken stream of the older HTTP
  // transport: it would reconnect to a session that was never initialized.
  client.onerror = (error) => {
    if (!SseError.isInstance(error)) return;
    // One microtask later: the event source sets its timer to reconnect after this callback, and only a later close
    // clears it.
    queueMicrotask(() => void transport.close().catch(() => {}));
  };
  await client.connect(transport as never, { timeout: connectMs, signal });
  return peerOf(client);
}

function peerOf(client: Client): Peer {
  return {
    era: client.getProtocolEra() === "modern" ? "modern" : "legacy",
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
    capabilities: { ...client.getServerCapabilities() },
    serverInfo: { ...client.getServerVersion() },
    instructions: client.getInstructions(),
    isConnected: () => client.transport !== undefined,
    listen: (filter) => client.listen(filter),
    close: () => client.close(),
  };
}
