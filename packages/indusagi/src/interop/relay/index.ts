export { createRelay } from "./create-relay.ts";
export {
  type ComposeOptions,
  composeInstructions,
  type ServerInstructions,
} from "./instructions/compose-instructions.ts";
export type { InstructionTexts } from "./instructions/offer-instructions.ts";
export { listItems } from "./list-items.ts";
export { listServer } from "./list-server.ts";
export { type ClientLink, type ClientLinkOptions, createClientLink } from "./live/client-link.ts";
export { matchesUriTemplate } from "./match-uri-template.ts";
export { missingCapability, missingCapabilityMessage, type NeededCapability } from "./missing-capability.ts";
export { createClashRecord } from "./names/clash-record.ts";
export type { DeclaredCapabilities } from "./provide/may-complete.ts";
export { type FleetRelay, type RelayFleetOptions, relayFleet } from "./provide/relay-fleet.ts";
export type { RelayScope } from "./provide/relay-scope.ts";
export { getPrompt, type ReadOptions, readResource } from "./read-item.ts";
export { requestRounds } from "./request-rounds.ts";
