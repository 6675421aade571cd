export {
  BRIEFING_SECTIONS,
  type BriefingParts,
  type BriefingSection,
  type BriefingSkill,
  composeBriefing,
} from "./compose-briefing.ts";
export {
  CONTEXT_FILE_NAMES,
  type ContextFile,
  type ProjectContext,
  readProjectContext,
} from "./project-context.ts";
