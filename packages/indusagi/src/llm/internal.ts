// For the other rooms of this package; not exported from it.
export { setMember } from "./members.ts";
export { docText, schemaType } from "./outline/tool-signature.ts";
export {
  JSON_TYPES,
  KEYWORD_GROUPS,
  KEYWORDS,
  keywordsWhere,
  mapChildSchemas,
  type SubschemaForm,
} from "./schema-keywords.ts";
