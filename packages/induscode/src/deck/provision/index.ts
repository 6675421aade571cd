export { effectOf } from "./effect-of.ts";
export {
  cardsForDeckProfile,
  createDeckContext,
  type ProvisionOptions,
  provisionDeck,
} from "./provision-deck.ts";
export { ToolDeck } from "./tool-deck.ts";
