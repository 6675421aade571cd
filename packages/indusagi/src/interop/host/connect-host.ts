import type { Server, Transport } from "@modelcontextprotocol/server";
import { callListener, describeError, mintUlid } from "../../core/index.ts";
import type { ClientInfo } from "../../runtime/index.ts";
import {
  type HostIntroduction,
  type HostProviders,
  type MessageTransport,
  type ProtocolEra,
  ProtocolFault,
  type RunningProviderHost,
} from "../contract/index.ts";
import { buildServer } from "./build-server.ts";
import { chosenProviders, type HostCore } from "./host-core.ts";
import type { HostPeer } from "./request/host-peer.ts";
import { loadServerSdk } from "./server-sdk.ts";
import { ListeningTransport } from "./subscriptions/listening-transport.ts";

/** Serves one connection over any transport. The client's first message determines the era. */
export async function connectHost(core: HostCore, transport: MessageTransport): Promise<RunningProviderHost> {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const sdk = await loadServerSdk();
  const session = `connection_${mintUlid()}`;
  let chosen: HostProviders | undefined;
  const peerIn = (era: ProtocolEra, client: ClientInfo | undefined): HostPeer => {
    const peer = { era, session, isConnection: true, ...(client && { client }) };
    chosen ??= chosenProviders(core, peer);
    return { ...peer, providers: chosen };
  };
  const watched = new ListeningTransport(transport, {
    watchers: core.watches,
    key: session,
    resources: (client) => peerIn("modern", client).providers?.resources,
    onFirstListing: () => callListener(core.afterFirstListing, undefined),
  });
  const build = ({ era }: { readonly era: ProtocolEra }, introduction?: HostIntroduction): Server =>
    buildServer(core, { ...peerIn(era, watched.client), introduction }, sdk);
  const { introduction } = core;
  const serving = serveStdio(
    introduction ? async (ctx) => build(ctx, await introduction()) : (ctx) => build(ctx),
    {
      transport: watched as Transport,
      onerror: (error) => core.report(error.message),
    },
  );
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
