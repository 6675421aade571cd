import { uniformLineEnding, withLineEnding } from "./line-endings.ts";
import { type DecodedText, decodeFileText } from "./text-codec.ts";

/** Content to write, and which parts of the old file's style it keeps. */
export interface StyledContent {
  readonly bytes: Uint8Array;
  /** Phrases for the answer, e.g. `CRLF line endings`. */
  readonly kept: readonly string[];
}

/**
 * Encodes new content like the file it replaces: same encoding, same byte order mark and, if the old file used only
 * one kind, same line endings. A model cannot see these and would otherwise change every line.
 */
export function keepStyle(previous: Uint8Array, content: string): StyledContent {
  const old = decodeFileText(previous);
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
