import { estimateTokens, type Message } from "../../../llm/index.ts";

/** Roughly what vendors charge for an image, whatever its size. */
const IMAGE_TOKENS = 1_500;

/** Estimates the tokens of messages. */
export function messageTokens(messages: readonly Message[]): number {
  let tokens = 0;
  for (const { content } of messages) {
    for (const part of content) {
      if (part.kind === "image") tokens += IMAGE_TOKENS;
      else if (part.kind === "text" || part.kind === "reasoning") tokens += estimateTokens(part.text);
      else tokens += estimateTokens(JSON.stringify(part));
    }
  }
  return tokens;
}
