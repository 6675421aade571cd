import type { ServerConfig } from "indusagi/interop";

/** Which servers start with their first call: those whose row says so, or all whose row does not say the contrary. */
export type Laziness = "rows" | "all";

/** A row as a command uses it. A command that ends soon (`undefined`) starts every server that it needs. */
export function lazyRow(server: ServerConfig, laziness: Laziness | undefined): ServerConfig {
  if (laziness === "all") return { ...server, lazy: server.lazy ?? true };
  return laziness === undefined && server.lazy ? { ...server, lazy: false } : server;
}
