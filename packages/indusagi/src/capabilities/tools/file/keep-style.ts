import { decodeText } from "./text-codec.ts";
import { uniformLineEnding, withLineEnding } from "./line-endings.ts";

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
  const text = content.startsWith("\ufeff") ? content.slice(1) : content;
  const bytes = old.bom ? old.encode(withLineEnding(text, ending)) : Buffer.from(withLineEnding(content, ending));
  const kept = [
    ...(ending === "\r\n" ? ["CRLF line endings"] : []),
    ...(ending === "\r" ? ["CR line endings"] : []),
    ...(old.bom ? ["byte order mark"] : []),
    ...(old.encoding === "utf-8" ? [] : [old.encoding.toUpperCase()]),
  ];
  return { bytes, kept };
}
