import type { Transport } from "@modelcontextprotocol/server";
import { describeError, mintUlid } from "../../core/index.ts";
import { type MessageTransport, ProtocolFault, type RunningProviderHost } from "../contract/index.ts";
import { buildServer } from "./build-server.ts";
import type { HostCore } from "./host-core.ts";
import { loadServerSdk } from "./server-sdk.ts";
import { ListeningTransport } from "./subscriptions/listening-transport.ts";

/** Serves one connection over any transport. The client's first message determines the era. */
export async function connectHost(core: HostCore, transport: MessageTransport): Promise<RunningProviderHost> {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const sdk = await loadServerSdk();
  const session = `connection_${mintUlid()}`;
  const watched = new ListeningTransport(transport, core.watches);
  const serving = serveStdio(({ era }) => buildServer(core, { era, session, isConnection: true }, sdk), {
    transport: watched as Transport,
    onerror: (error) => core.report(error.message),
  });
  try {
    await watched.started;
  } catch (cause) {
    throw new ProtocolFault("transport", `the host's transport cannot start: ${describeError(cause)}`, {
      cause,
    });
  }
  const cancel = async (): Promise<void> => {
    await serving.close().catch(() => {});
    await watched.ended;
  };
  return { waiting: () => watched.ended, cancel, close: cancel };
}
