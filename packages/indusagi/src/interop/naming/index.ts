export { isOwnUri, namespaceUri, parseNamespacedUri, type ResourceRef } from "./resource-uri.ts";
export { joinToolName, QUALIFIER, qualifyToolName, wireName } from "./tool-names.ts";
