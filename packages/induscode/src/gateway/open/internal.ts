// Loads nothing heavy before it is called.
import type * as gateway from "./open-gateway.ts";

export type { Gateway, GatewayConfiguration, GatewayOptions, WorkerLinks } from "./gateway-options.ts";
export type { GatewayView } from "./gateway-view.ts";

/** What a gateway does for its memory while it starts servers and when it rests. */
export async function keepMemorySmall(signal: AbortSignal): Promise<void> {
  (await import("./keep-memory-small.ts")).keepMemorySmall(Promise.resolve(), signal);
}

export const openGateway: typeof gateway.openGateway = async (...given) =>
  (await import("./open-gateway.ts")).openGateway(...given);
