export { type EconomyOptions, economize, economizedTools } from "./economize.ts";
export { listCost } from "./list-cost.ts";
export { createToolIndex, type ToolIndex, type ToolSearchOptions } from "./search/index.ts";
