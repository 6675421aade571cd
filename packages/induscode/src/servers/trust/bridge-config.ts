import type { BridgeConfig, ServerConfig } from "indusagi/interop";

/**
 * The bridge configuration for these servers. A row that is not approved gives way to any other row of its name, in any order:
 * it must not keep a server of the user from starting. Of other rows with one name the last is used.
 */
export function bridgeConfig(servers: readonly ServerConfig[]): BridgeConfig {
  const rows = new Map<string, ServerConfig>();
  for (const server of servers) {
    const before = rows.get(server.id);
    if (!before || before.pending || !server.pending) rows.set(server.id, server);
  }
  return { servers: [...rows.values()] };
}
