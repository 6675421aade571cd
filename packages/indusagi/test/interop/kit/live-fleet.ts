import {
  type FleetOptions,
  type InjectedTransport,
  linkedTransports,
  type RpcMessage,
  type ServerConfig,
  type ServerFleetImpl,
  startServerFleet,
} from "indusagi/interop";
import { createLiveServer, type LiveServerOptions } from "../../../../../test/servers/live.mjs";

/** A server of a test: what it does, and who shares it. */
export interface LiveRow extends LiveServerOptions {
  readonly share?: ServerConfig["share"];
}

/** Servers in this process, as rows and as a transport for their fleet. */
export interface LiveServers extends Required<Pick<FleetOptions, "transport">> {
  readonly servers: readonly ServerConfig[];
  /** The server's ends of all connections so far, by server, oldest first. To close one is to kill the server. */
  readonly starts: ReadonlyMap<string, InjectedTransport[]>;
}

export function liveServers(rows: { readonly [id: string]: LiveRow }): LiveServers {
  const starts = new Map<string, InjectedTransport[]>();
  return {
    starts,
    servers: Object.entries(rows).map(([id, { share }]) => ({
      kind: "stdio",
      id,
      command: "(in this process)",
      ...(share && { share }),
    })),
    transport: ({ id }) => {
      const [ours, theirs] = linkedTransports();
      const send = (message: RpcMessage): void => void theirs.send(message).catch(() => {});
      theirs.onmessage = createLiveServer(send, { name: id, ...rows[id] });
      void theirs.start();
      starts.set(id, [...(starts.get(id) ?? []), theirs]);
      return ours;
    },
  };
}

export async function liveFleet(
  rows: { readonly [id: string]: LiveRow },
  options: FleetOptions = {},
): Promise<{ readonly fleet: ServerFleetImpl; readonly starts: LiveServers["starts"] } & AsyncDisposable> {
  const { servers, transport, starts } = liveServers(rows);
  const fleet = await startServerFleet({ servers }, { transport, ...options });
  return { fleet, starts, [Symbol.asyncDispose]: () => fleet.tearDown() };
}
