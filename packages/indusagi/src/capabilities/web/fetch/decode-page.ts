import { TextDecoder } from "node:util";
import { nextTurn } from "../../../core/internal.ts";

/** How far into a page a `<meta charset>` or an XML declaration is looked for. */
const PRESCAN_BYTES = 2048;

/** Bytes decoded in one go: about a millisecond of work. */
const SLICE = 256 * 1024;

/** The same as `decodePage`, with other work in between. */
export async function decodePageInSlices(bytes: Uint8Array, contentType: string): Promise<string> {
  const decoder = decoderFor(bytes, contentType);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += SLICE) {
    if (at > 0) await nextTurn();
    parts.push(decoder.decode(bytes.subarray(at, at + SLICE), { stream: true }));
  }
  return parts.join("");
}

/**
 * Decodes by the byte order mark, else the charset of the header, else the page's own declaration, else as UTF-8.
 * An unknown charset is ignored. Never throws: invalid bytes become U+FFFD.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  // `stream`: if the body was cut inside a character, the incomplete character is dropped.
  return decoderFor(bytes, contentType).decode(bytes, { stream: true });
}

function decoderFor(bytes: Uint8Array, contentType: string): TextDecoder {
  return (
    markedDecoder(bytes) ?? namedDecoder(contentType) ?? namedDecoder(declaration(bytes)) ?? new TextDecoder()
  );
}

function markedDecoder(bytes: Uint8Array): TextDecoder | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder("utf-8");
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  return undefined;
}

function namedDecoder(text: string): TextDecoder | undefined {
  const label = /(?:charset|encoding)\s*=\s*["']?([\w.:-]{1,40})/i.exec(text.slice(0, PRESCAN_BYTES))?.[1];
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

/** The tag or declaration near the start that names a charset. */
function declaration(bytes: Uint8Array): string {
  const head = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(PRESCAN_BYTES, bytes.byteLength),
  ).toString("latin1");
  return /<meta\b[^>]*\bcharset\b[^>]*|<\?xml[^>]*\bencoding\b[^>]*/i.exec(head)?.[0] ?? "";
}
