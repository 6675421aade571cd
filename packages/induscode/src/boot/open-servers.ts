import type { BridgeOptions, EndpointStatus, ServerConfig, ServerFleet } from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";

export interface OpenServersOptions extends Omit<BridgeOptions, "waitMs"> {
  readonly servers: readonly ServerConfig[];
}

/** Servers being connected to, and the tools they have so far. Disposing of it ends every one of them. */
export interface OpenServers extends AsyncDisposable {
  readonly box: ToolBox;
  readonly fleet: ServerFleet;
  /** Resolves when every server is connected and listed, or has failed. */
  readonly settled: Promise<void>;
  /** How each server is, in the order of the configuration; those that are switched off too. */
  statuses(): readonly EndpointStatus[];
}

/** Starts to connect, and does not wait: whoever opened can end it at any time, also while servers are starting. */
export async function openServers({ servers, ...options }: OpenServersOptions): Promise<OpenServers> {
  const { mountProtocolBridge } = await import("indusagi/interop");
  const { box, fleet } = await mountProtocolBridge({ servers: [] }, options);
  const settled = Promise.all(servers.map((server) => fleet.addServer(server))).then(() => {});
  return {
    box,
    fleet,
    settled,
    statuses: () => [...fleet.status().values()],
    [Symbol.asyncDispose]: () => fleet.tearDown(),
  };
}
