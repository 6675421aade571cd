export { firstSentence, sentenceEnds } from "./first-sentence.ts";
export { createToolIndex, type ToolIndex, type ToolSearchOptions } from "./tool-index.ts";
