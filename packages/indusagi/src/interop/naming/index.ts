export { joinToolName } from "./join-tool-name.ts";
export { QUALIFIER, qualifyToolName, wireName } from "./wire-name.ts";
