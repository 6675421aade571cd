export { fromMcpResult, toMcpResult } from "./call-result.ts";
export { fromMcpContent, jsonText, toMcpContent } from "./content-blocks.ts";
export { withoutEnvelope } from "./without-envelope.ts";
