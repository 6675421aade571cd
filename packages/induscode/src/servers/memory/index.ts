export { openClashedUris } from "./clashed-uris.ts";
export { type KeptState, keepLastStates, readLastStates } from "./last-states.ts";
export { type Catalogue, type CatalogueOptions, openCatalogue } from "./open-catalogue.ts";
export { createServerMemory, type ServerMemory } from "./server-memory.ts";
