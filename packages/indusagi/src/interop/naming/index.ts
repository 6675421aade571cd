export {
  clashUri,
  isOwnUri,
  namespaceUri,
  parseNamespacedUri,
  parseSkillClash,
  type ResourceRef,
} from "./resource-uri.ts";
export { joinToolName, QUALIFIER, qualifyToolName, wireName } from "./tool-names.ts";
