import type { Message } from "../../../llm/index.ts";

/** A rule of thumb for English text and JSON. Vendors count differently. */
const CHARS_PER_TOKEN = 4;
/** What vendors charge for an image, roughly, whatever the length of its data. */
const IMAGE_TOKENS = 1_500;

/** About how many tokens messages have. */
export function estimateTokens(messages: readonly Message[]): number {
  let chars = 0;
  let images = 0;
  for (const { content } of messages) {
    for (const part of content) {
      if (part.kind === "image") images++;
      else
        chars +=
          part.kind === "text" || part.kind === "reasoning" ? part.text.length : JSON.stringify(part).length;
    }
  }
  return Math.ceil(chars / CHARS_PER_TOKEN) + images * IMAGE_TOKENS;
}
