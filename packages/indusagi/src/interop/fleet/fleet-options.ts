import type { ServerConfig } from "../contract/index.ts";
import type { EndpointOptions, InjectedTransport } from "../endpoint/index.ts";
import type { SupervisionOptions } from "./supervision-options.ts";

export interface FleetOptions extends EndpointOptions {
  /** Gives a transport in the place of the configured one. A factory, because endpoints are minted anew. */
  readonly transport?: (config: ServerConfig) => InjectedTransport | undefined;
  /** How long `start` waits for servers at the most; later ones join by themselves. Without it, until all have settled. */
  readonly waitMs?: number;
  /** How servers that fail are started again. On by default; `false` leaves a server that failed as it is. */
  readonly supervision?: SupervisionOptions | false;
}
