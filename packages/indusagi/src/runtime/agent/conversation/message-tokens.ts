import { estimateTokens, type Message } from "../../../llm/index.ts";

/** What vendors charge for an image, roughly, whatever the length of its data. */
const IMAGE_TOKENS = 1_500;

/** About how many tokens messages have. */
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
