import { plainText, shortenText } from "indusagi/core";
import type { FleetStatus, ServerFleet } from "indusagi/interop";
import { type CapabilityCard, capabilityId } from "../contract/index.ts";
import type { BridgeCapability, BridgeLedger } from "../ledger/index.ts";

/** Some servers write pages. */
const MAX_SUMMARY_UNITS = 200;

/** The state of each server, in the order of the configuration. */
export function bridgeStatus(fleet: ServerFleet): FleetStatus {
  return fleet.status();
}

/** The wire names of the live tools, in the order of enrollment. Needs no fleet. */
export function bridgeToolNames(ledger: BridgeLedger): string[] {
  return ledger.liveCapabilities().map(({ name }) => name);
}

/** The number of live tools per server. Needs no fleet. */
export function bridgeToolCounts(ledger: BridgeLedger): ReadonlyMap<string, number> {
  return ledger.snapshot.byServer;
}

/** A mounted tool as a row of the catalog, for help and listings. It is in no profile; building it returns the tool itself. */
export function bridgeCapabilityCard(capability: BridgeCapability): CapabilityCard {
  const { name, label, description } = capability;
  return Object.freeze({
    id: capabilityId(name),
    title: label,
    summary: firstLine(description),
    profiles: Object.freeze([]),
    build: () => capability,
  });
}

/** The text comes from a server, so it may contain terminal escape sequences. */
function firstLine(text: string): string {
  const [line = ""] = plainText(text)
    .trim()
    .split(/[\r\n]/, 1);
  return shortenText(line.trimEnd(), MAX_SUMMARY_UNITS);
}
