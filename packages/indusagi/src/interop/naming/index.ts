export { QUALIFIER, qualifyToolName } from "./qualify-tool-name.ts";
export { wireName } from "./wire-name.ts";
