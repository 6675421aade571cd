export { appPagesOf, isAppOnly, isAppPage, isNamedForApps, showsApps } from "./apps.ts";
export {
  joinHints,
  KEPT_FRESH_MS,
  NOT_CACHED,
  remainingHint,
  statedHint,
  withoutHint,
} from "./cache-hints.ts";
export {
  declaredFor,
  EXTENSION_KEYS,
  extensionKey,
  extensionsIn,
  isForwardableExtension,
  isRelayedExtension,
  mergeExtensions,
  pickExtensions,
  RELAYED_EXTENSIONS,
  sharedKey,
} from "./extensions.ts";
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
export {
  flatTask,
  isEnded,
  LEGACY_TASKS,
  legacyTask,
  pollMs,
  relatedTask,
  taskKindIn,
  withoutRelatedTask,
  withRelatedTask,
} from "./tasks.ts";
