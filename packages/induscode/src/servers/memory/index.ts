export { addsNothing, type CatalogueEntry } from "./catalogue-entry.ts";
export { openClashedUris } from "./clashed-uris.ts";
export { entrySchema } from "./entry-file.ts";
export { type KeptState, keepLastStates, readLastStates } from "./last-states.ts";
export { type Catalogue, type CatalogueOptions, openCatalogue } from "./open-catalogue.ts";
export { createServerMemory, type ServerMemory } from "./server-memory.ts";
