import { type ClashRecord, type DeclaredCapabilities, type FleetRelay, relayFleet } from "indusagi/interop";
import type { ClientInfo } from "indusagi/runtime";
import { openClashedUris } from "../../catalogue/index.ts";
import { type CallObserver, observedRelay, type TokenAccess } from "../../gateway/index.ts";
import { MAX_NAME_CHARS } from "../servers/name-limit.ts";
import type { OpenServers } from "../servers/open-servers.ts";
import { instructionTexts } from "./gateway-instructions.ts";
import type { GatewayRun } from "./gateway-options.ts";

export interface GatewayRelayOptions {
  /** Resolves when the servers are being started. */
  readonly begun: () => Promise<void>;
  /** How long a list waits for servers whose items are not known. */
  readonly patienceMs: (client: ClientInfo | undefined) => number;
  /** Gets each request to a server when it has ended. */
  readonly observe: CallObserver;
  /** What each token allows. */
  readonly access: TokenAccess | undefined;
}

/** What the servers have beside their tools, for the clients of a gateway. */
export async function openGatewayRelay(
  run: GatewayRun,
  servers: OpenServers,
  { begun, patienceMs, observe, access }: GatewayRelayOptions,
): Promise<FleetRelay> {
  const clashes = await openClashes(run);
  const relay = relayFleet(servers.fleet, {
    relay: observedRelay(access?.limited(servers.relay) ?? servers.relay, observe),
    lastKnown: (server, kind) => servers.lastKnownItems(server, kind),
    ...(clashes && { clashes }),
    declared: () => declaredBy(servers),
    nameLimit: MAX_NAME_CHARS,
    begun,
    patienceMs,
    instructions: instructionTexts(servers),
    report: run.report,
  });
  servers.onReview((server) => relay.reviewed(server, "prompts"));
  return relay;
}

/** What each server that may run declared when it connected, or when it was last listed. */
function* declaredBy({
  configs,
  introductionOf,
}: Pick<OpenServers, "configs" | "introductionOf">): DeclaredCapabilities {
  for (const { id, enabled = true, pending = false } of configs())
    if (enabled && !pending) yield [id, introductionOf(id)?.capabilities];
}

/** Without it a URI may be plain again after a restart, which is better than not to serve. */
async function openClashes(run: GatewayRun): Promise<ClashRecord | undefined> {
  try {
    const { path } = await run.stateFolder();
    const clashes = openClashedUris(path, { report: run.report });
    run.defer(async () => clashes[Symbol.asyncDispose]());
    return clashes;
  } catch {
    return undefined; // Reported for the memory of the servers, which is in the same folder.
  }
}
