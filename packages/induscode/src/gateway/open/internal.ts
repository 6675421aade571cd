// Loads nothing heavy before it is called.
import type * as gateway from "./open-gateway.ts";

export type { Gateway } from "./gateway-options.ts";
export type { GatewayView } from "./gateway-view.ts";

export const openGateway: typeof gateway.openGateway = async (...given) =>
  (await import("./open-gateway.ts")).openGateway(...given);
