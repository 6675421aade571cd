import {
  type BridgeOptions,
  type EndpointStatus,
  mountProtocolBridge,
  type ServerConfig,
  type ServerFleet,
} from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";

/**
 * The longest tool name, the same in every command, so that `list`, `call` and `serve` use one name per tool. Clients put a
 * prefix of their own before the names of a gateway, and the whole must fit their limit of 64 characters.
 */
const MAX_NAME_CHARS = 48;

export interface OpenServersOptions extends Omit<BridgeOptions, "waitMs" | "nameLimit"> {
  readonly servers: readonly ServerConfig[];
}

/** The configured servers and the tools they offer so far. Closing it ends every server. */
export interface OpenServers extends AsyncDisposable {
  readonly box: ToolBox;
  readonly fleet: ServerFleet;
  /** Resolves when every server is connected and listed, or has failed. */
  readonly settled: Promise<void>;
  /** How long each server took to connect and list its tools, or to fail, in milliseconds. */
  readonly timesMs: ReadonlyMap<string, number>;
  /** The state of each server, in configuration order. Disabled servers are included. */
  statuses(): readonly EndpointStatus[];
  /** The first required server that is not ready. */
  missingRequired(): string | undefined;
}

/** Starts to connect and does not wait, so that the caller can close it at any time, also while servers start. */
export async function openServers({ servers, ...options }: OpenServersOptions): Promise<OpenServers> {
  const { box, fleet } = await mountProtocolBridge(
    { servers: [] },
    { ...options, nameLimit: MAX_NAME_CHARS },
  );
  const startMs = performance.now();
  const timesMs = new Map<string, number>();
  const add = async (server: ServerConfig): Promise<void> => {
    await fleet.addServer(server);
    timesMs.set(server.id, performance.now() - startMs);
  };
  const settled = Promise.all(servers.map(add)).then(() => {});
  const statuses = (): readonly EndpointStatus[] => [...fleet.status().values()];
  return {
    box,
    fleet,
    settled,
    timesMs,
    statuses,
    missingRequired: () => {
      const ready = new Set(statuses().flatMap(({ phase, server }) => (phase === "ready" ? [server] : [])));
      return servers.find((server) => isRequired(server) && !ready.has(server.id))?.id;
    },
    [Symbol.asyncDispose]: () => fleet.tearDown(),
  };
}

/** Whether a command cannot do its work without this server. */
export function isRequired({ required = false, enabled = true }: ServerConfig): boolean {
  return required && enabled;
}
