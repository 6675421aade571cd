export { estimateTokens, estimateToolTokens } from "./estimate-tokens.ts";
export { exampleArguments } from "./example-arguments.ts";
export { toolSignature } from "./tool-signature.ts";
