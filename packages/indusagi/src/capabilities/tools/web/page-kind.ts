import { magicFormat } from "../../../core/internal.ts";

/** What a body is, judged by its bytes first and by what the server calls it second. */
export type PageKind =
  | { readonly kind: "html" }
  | { readonly kind: "text" }
  | { readonly kind: "image"; readonly mimeType: string }
  | { readonly kind: "binary" };

/** Tells pages, other text, pictures and the rest apart. */
export function pageKind(contentType: string, bytes: Uint8Array): PageKind {
  const mimeType = magicFormat(bytes)?.image;
  if (mimeType !== undefined) return { kind: "image", mimeType };
  if (looksBinary(contentType, bytes)) return { kind: "binary" };
  const mime = mimeOf(contentType);
  if (HTML.has(mime) || (mime === "" && startsLikeHtml(bytes))) return { kind: "html" };
  if (TEXTUAL.test(mime)) return { kind: "text" };
  // Servers call many text files "octet-stream", or nothing at all: valid UTF-8 is text, whatever its name.
  return UNTOLD.has(mime) && isUtf8(bytes) ? { kind: "text" } : { kind: "binary" };
}

/** The bare media type: lower case, without parameters. */
function mimeOf(contentType: string): string {
  return (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

const HTML: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);
const UNTOLD: ReadonlySet<string> = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "unknown/unknown",
]);
const TEXTUAL =
  /^text\/|[/+](x-)?(json|xml|yaml|javascript|ecmascript|typescript|toml|sql|graphql|ndjson|jsonlines|sh|httpd-php|python)$/;

const SNIFFED_BYTES = 4096;

function looksBinary(contentType: string, bytes: Uint8Array): boolean {
  // UTF-16 is full of NULs and yet is text.
  if (/charset\s*=\s*"?utf-?(16|32)/i.test(contentType.slice(0, 200))) return false;
  const head = bytes.subarray(0, SNIFFED_BYTES);
  const hasWideMark = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  return !hasWideMark && head.includes(0);
}

function startsLikeHtml(bytes: Uint8Array): boolean {
  return /^\s*<(!doctype html|html|head|body)\b/i.test(latin1(bytes, 512).replace(/^\xef\xbb\xbf/, ""));
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    // `stream`: a character cut at the end of the sample is no fault of the text.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, SNIFFED_BYTES), { stream: true });
    return true;
  } catch {
    return false;
  }
}

function latin1(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.byteLength)).toString("latin1");
}
