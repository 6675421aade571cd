export { showTokens } from "./token-table.ts";
