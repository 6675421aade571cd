import type { ByteText } from "../search-job.ts";

/** The UTF-8 bytes of a text. */
export function toByteText(text: string): ByteText {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Decodes UTF-8. An invalid byte becomes `\xff` and the like. */
export function readByteText(bytes: ByteText): string {
  return spellBytes(bytes, (stray) => `\\x${stray.toString(16)}`);
}

/**
 * Decodes UTF-8. Each invalid byte is replaced by the result of `spell`.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function spellBytes(bytes: ByteText, spell: (stray: number) => string): string {
  // ASCII, then well-formed sequences of two, three and four bytes; the second group is an invalid byte.
  const sequence =
    /([^\x80-\xff]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})|([^])/g;
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  return bytes.replace(sequence, (_all, good: string | undefined, stray: string) =>
    good === undefined ? spell(stray.charCodeAt(0)) : Buffer.from(good, "latin1").toString(),
  );
}
