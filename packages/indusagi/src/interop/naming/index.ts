export { joinToolName } from "./join-tool-name.ts";
export { isOwnUri, namespaceUri, parseNamespacedUri, type ResourceRef } from "./resource-uri.ts";
export { QUALIFIER, qualifyToolName, wireName } from "./wire-name.ts";
