// Loads nothing heavy before it is called.
import type * as gateway from "./open-gateway.ts";

export type { Gateway, GatewayConfiguration, GatewayOptions, WorkerLinks } from "./gateway-options.ts";
export type { GatewayView } from "./gateway-view.ts";

/** What a gateway does for its memory while it starts servers and when it rests. */
export async function keepMemorySmall(signal: AbortSignal): Promise<void> {
  const [{ keepYoungHeapSmall }, { compactAtRest }] = await Promise.all([
    import("./small-young-heap.ts"),
    import("./heap-at-rest.ts"),
  ]);
  void keepYoungHeapSmall(Promise.resolve());
  compactAtRest(signal);
}

export const openGateway: typeof gateway.openGateway = async (...given) =>
  (await import("./open-gateway.ts")).openGateway(...given);
