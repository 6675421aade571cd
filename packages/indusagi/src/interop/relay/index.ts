export { clientBox } from "./client-box.ts";
export { type ClientLink, type ClientLinkOptions, createClientLink } from "./client-link.ts";
export {
  type ComposeOptions,
  composeInstructions,
  type ServerInstructions,
} from "./compose-instructions.ts";
export { createRelay } from "./create-relay.ts";
export { listItems, listServer } from "./list-items.ts";
export { matchesUriTemplate } from "./match-uri-template.ts";
export {
  type DeclaredCapabilities,
  missingCapability,
  missingCapabilityMessage,
  type NeededCapability,
} from "./missing-capability.ts";
export { createClashRecord } from "./names/resource-names.ts";
export type { InstructionTexts } from "./offer-instructions.ts";
export { type FleetRelay, type RelayFleetOptions, relayFleet } from "./provide/relay-fleet.ts";
export type { RelayScope } from "./provide/relay-scope.ts";
export type { PublishedSkills } from "./provide/skill-provider.ts";
export { getPrompt, type ItemRequestOptions, readResource, requestRounds } from "./read-item.ts";
export { listSkills, type SkillList } from "./skill-lists.ts";
