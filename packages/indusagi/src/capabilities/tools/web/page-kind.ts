import { magicFormat } from "../../../core/internal.ts";

/** The kind of a body, detected from its bytes first and from its Content-Type second. */
export type PageKind =
  | { readonly kind: "html" }
  | { readonly kind: "text" }
  | { readonly kind: "image"; readonly mimeType: string }
  | { readonly kind: "binary" };

export function pageKind(contentType: string, bytes: Uint8Array): PageKind {
  const mimeType = magicFormat(bytes)?.image;
  if (mimeType !== undefined) return { kind: "image", mimeType };
  if (looksBinary(contentType, bytes)) return { kind: "binary" };
  const mime = mimeOf(contentType);
  if (HTML.has(mime) || (mime === "" && startsLikeHtml(bytes))) return { kind: "html" };
  if (TEXTUAL.test(mime)) return { kind: "text" };
  // Servers send many text files as "octet-stream" or without a type: valid UTF-8 is text.
  return UNSPECIFIC.has(mime) && isUtf8(bytes) ? { kind: "text" } : { kind: "binary" };
}

/** The bare media type: lower case, without parameters. */
function mimeOf(contentType: string): string {
  return (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

const HTML: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);
const UNSPECIFIC: ReadonlySet<string> = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "unknown/unknown",
]);
const TEXTUAL =
  /^text\/|[/+](x-)?(json|xml|yaml|javascript|ecmascript|typescript|toml|sql|graphql|ndjson|jsonlines|sh|httpd-php|python)$/;

const SNIFFED_BYTES = 4096;

function looksBinary(contentType: string, bytes: Uint8Array): boolean {
  // UTF-16 text contains NUL bytes.
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
    // `stream`: the sample may end inside a character.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, SNIFFED_BYTES), { stream: true });
    return true;
  } catch {
    return false;
  }
}

function latin1(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.byteLength)).toString("latin1");
}
