import {
  type ClashRecord,
  type DeclaredCapabilities,
  type FleetRelay,
  relayFleet,
  skillsFolder,
} from "indusagi/interop";
import type { ClientInfo } from "indusagi/runtime";
import type { Run } from "../../boot/internal.ts";
import { MAX_NAME_CHARS } from "../../servers/internal.ts";
import { openClashedUris } from "../../servers/memory/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import { type CallObserver, observedRelay, type TokenAccess } from "../index.ts";
import { instructionTexts } from "./gateway-instructions.ts";

interface GatewayRelayOptions {
  /** Resolves when the servers have begun to start. */
  readonly begun: () => Promise<void>;
  /** How long a list waits for servers whose items are not known. */
  readonly patienceMs: (client: ClientInfo | undefined) => number;
  /** Whether no list waits for a server. */
  readonly isSkipped: (server: string) => boolean;
  /** Called after each request to a server. */
  readonly observe: CallObserver;
  /** What each token allows. */
  readonly access: TokenAccess | undefined;
  /** A folder of skills to publish. */
  readonly skills: string | undefined;
  /** The key for the ids of tasks. */
  readonly taskKey: () => Uint8Array;
  /** Whether another gateway may be asked for what this one linked to. */
  readonly namesLinks: boolean;
  /** Whether clients get the ids of tasks sealed. */
  readonly sealsTasks: boolean;
}

/** What the servers have besides their tools, for the clients of a gateway. */
export async function openGatewayRelay(
  run: Run,
  servers: OpenServers,
  options: GatewayRelayOptions,
): Promise<FleetRelay> {
  const { begun, patienceMs, isSkipped, observe, access, skills, taskKey, namesLinks, sealsTasks } = options;
  const clashes = await openClashes(run);
  const relay = relayFleet(servers.fleet, {
    relay: observedRelay(access?.limited(servers.relay) ?? servers.relay, observe),
    lastKnown: (server, kind, extensions) => {
      const known = servers.lastKnownItems(server, kind, extensions);
      return known ?? (extensions === "" && isSkipped(server) ? { server, items: [] } : undefined);
    },
    ...(clashes && { clashes }),
    declared: () => declaredBy(servers),
    nameLimit: MAX_NAME_CHARS,
    taskKey,
    namesLinks,
    sealsTasks,
    begun,
    patienceMs,
    instructions: instructionTexts(servers),
    ...(skills !== undefined && { skills: skillsFolder(skills, { report: run.report }) }),
    report: run.report,
  });
  servers.onReview((server) => relay.reviewed(server, "prompts"));
  return relay;
}

/** What each server that may run declared when it connected, or when it was last listed. */
function* declaredBy(servers: OpenServers): DeclaredCapabilities {
  for (const { id, enabled = true, pending = false } of servers.configs())
    if (enabled && !pending) yield [id, servers.introductionOf(id)?.capabilities];
}

/** Continue without it: a clashing URI may then lose its prefix after a restart. */
async function openClashes(run: Run): Promise<ClashRecord | undefined> {
  if (run.state.sharedClashes) return run.state.sharedClashes;
  try {
    const { path } = await run.state.folder();
    const clashes = openClashedUris(path, { report: run.report });
    run.defer(async () => clashes[Symbol.asyncDispose]());
    return clashes;
  } catch {
    return undefined; // Opening the servers' catalogue, in the same folder, reports it.
  }
}
