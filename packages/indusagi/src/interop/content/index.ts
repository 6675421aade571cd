export { fromMcpResult, toMcpResult } from "./call-result.ts";
export { fromMcpContent, jsonText, toMcpContent } from "./content-blocks.ts";
export {
  type LeftOut,
  type ListKind,
  leftOutLine,
  leftOutNote,
  publishable,
  publishableItems,
  publishableResult,
} from "./publishable.ts";
export { withoutEnvelope } from "./without-envelope.ts";
