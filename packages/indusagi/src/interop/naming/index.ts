export { type JoinOptions, joinToolName } from "./join-tool-name.ts";
export { QUALIFIER, qualifyToolName } from "./qualify-tool-name.ts";
export { wireName } from "./wire-name.ts";
