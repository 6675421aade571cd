export { createRelay } from "./create-relay.ts";
export { listItems } from "./list-items.ts";
export { listServer } from "./list-server.ts";
export { matchesUriTemplate } from "./match-uri-template.ts";
export { missingCapability, missingCapabilityMessage, type NeededCapability } from "./missing-capability.ts";
export { getPrompt, type ReadOptions, readResource } from "./read-item.ts";
export { requestRounds } from "./request-rounds.ts";
