export { createDeckContext } from "./create-deck-context.ts";
export { effectOf } from "./effect-of.ts";
export { cardsForDeckProfile, type ProvisionOptions, provisionDeck } from "./provision-deck.ts";
export { ToolDeck } from "./tool-deck.ts";
