// For the rooms of this package only. It loads no part of the deck.
export { selectedBox, selectTools, type ToolFilter } from "./select-tools.ts";
