export {
  fromMcpContent,
  fromMcpResult,
  jsonText,
  toMcpContent,
  toMcpResult,
  withoutEnvelope,
} from "./mcp-results.ts";
export {
  type LeftOut,
  type ListKind,
  leftOutLine,
  leftOutNote,
  publishable,
  publishableItems,
  publishableResult,
} from "./publishable.ts";
export {
  directoryOf,
  filesOf,
  isInSkill,
  rebasedSkill,
  skillAbilities,
  skillFolder,
  skillProblem,
  typeOf,
} from "./skills.ts";
