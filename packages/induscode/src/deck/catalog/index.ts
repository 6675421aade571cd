export {
  capabilityCards,
  capabilityIds,
  capabilityIndex,
  cardProfiles,
  cardsForProfile,
  findCard,
  hasCapability,
} from "./catalog.ts";
