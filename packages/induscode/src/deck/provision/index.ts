export { createDeckContext } from "./create-deck-context.ts";
export { effectOf } from "./effect-of.ts";
export { ToolDeck } from "./tool-deck.ts";
