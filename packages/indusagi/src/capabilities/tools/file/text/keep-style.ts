import { uniformLineEnding, withLineEnding } from "./line-endings.ts";
import { type DecodedText, decodeText } from "./text-codec.ts";

/** Content to be written, and what of the old file's style it was given. */
export interface StyledContent {
  readonly bytes: Uint8Array;
  /** In words for the answer, e.g. `CRLF line endings`. */
  readonly kept: readonly string[];
}

/**
 * Spells new content the way the file it replaces was spelled: its encoding, its byte order mark and, where all its
 * lines agree, its line endings. A model sees none of these and would otherwise change every line.
 */
export function keepStyle(previous: Uint8Array, content: string): StyledContent {
  const old = decodeText(previous);
  if (old.encoding === "bytes") return { bytes: Buffer.from(content), kept: [] };
  const ending = uniformLineEnding(old.text);
  const text = withLineEnding(old.bom && content.startsWith("\ufeff") ? content.slice(1) : content, ending);
  const endingName =
    ending && !content.includes("\r") && text.includes(ending) ? ENDING_NAMES[ending] : undefined;
  return { bytes: old.encode(text), kept: [...(endingName ? [endingName] : []), ...encodingNames(old)] };
}

const ENDING_NAMES = { "\n": undefined, "\r\n": "CRLF line endings", "\r": "CR line endings" } as const;

function encodingNames({ bom, encoding }: DecodedText): string[] {
  return [...(bom ? ["byte order mark"] : []), ...(encoding === "utf-8" ? [] : [encoding.toUpperCase()])];
}
