export type { CatalogueEntry, CatalogueHead, KnownListing } from "./catalogue-entry.ts";
export { openClashedUris, type StoredClashes } from "./clashed-uris.ts";
export { type KeptState, keepLastStates, readLastStates } from "./last-states.ts";
export { type Catalogue, type CatalogueOptions, openCatalogue } from "./open-catalogue.ts";
