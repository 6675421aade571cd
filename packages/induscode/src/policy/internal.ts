// For the rooms of this package only.
export { readShellWords } from "./commands/shell-words.ts";
export { examinedEffect } from "./gate/gate.ts";
export { EMPTY_PROJECT_FILES, isProtected, PROTECTED_IN_PROJECTS } from "./paths/protected-paths.ts";
export { type Glob, matchesGlob, parseGlob } from "./rules/glob.ts";
export { suggestRules } from "./rules/suggest-rule.ts";
export {
  checkToolPattern,
  type KnownTools,
  parseToolPattern,
} from "./rules/tool-pattern.ts";
