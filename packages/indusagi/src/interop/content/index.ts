export {
  joinHints,
  KEPT_FRESH_MS,
  NOT_CACHED,
  remainingHint,
  statedHint,
  withoutHint,
} from "./cache-hints.ts";
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
