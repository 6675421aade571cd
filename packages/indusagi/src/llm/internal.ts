// For the other rooms of this package; not exported from it.
export { setMember } from "./members.ts";
export {
  type Holds,
  JSON_TYPES,
  KEYWORD_GROUPS,
  KEYWORDS,
  keywordsWhere,
  mapChildSchemas,
} from "./schema-keywords.ts";
