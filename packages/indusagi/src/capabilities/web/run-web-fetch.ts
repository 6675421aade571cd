import { STATUS_CODES } from "node:http";
import { magicFormat, nextTurn, systemResolveHost } from "../../core/internal.ts";
import { failureResult, mcpBlock, type ToolResult } from "../../runtime/index.ts";
import type { OutputBudget, ToolContext } from "../contract/index.ts";
import { clamp } from "../kernel/index.ts";
import { decodePageInSlices } from "./fetch/decode-page.ts";
import { type FetchedPage, fetchPage } from "./fetch/fetch-page.ts";
import type { UrlGuard } from "./fetch/url-guard.ts";
import { htmlToMarkdown } from "./html/html-to-markdown.ts";
import { cleanText, frameUntrusted, oneLine, UNTRUSTED_NOTE } from "./untrusted-text.ts";
import { WebError } from "./web-error.ts";
import type { WebFetchOptions } from "./web-options.ts";

export interface WebFetchInput {
  readonly url: string;
  readonly maxBytes?: number;
}

const ACCEPT =
  "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.5";

export async function runWebFetch(
  { url, maxBytes }: Required<WebFetchInput>,
  options: WebFetchOptions & { readonly guard: UrlGuard },
  { signal, budget }: ToolContext,
): Promise<ToolResult> {
  const { timeoutMs = 30_000, resolve = systemResolveHost, env = process.env, guard } = options;
  try {
    const page = await fetchPage(url.trim(), {
      guard,
      maxBytes,
      timeoutMs,
      resolve,
      env,
      signal,
      accept: ACCEPT,
    });
    return await showPage(page, { budget, maxBytes });
  } catch (thrown) {
    if (thrown instanceof WebError) return failureResult(`webfetch: ${thrown.message}`);
    throw thrown;
  }
}

interface ShowOptions {
  readonly budget: OutputBudget;
  /** The limit that the page was read with. */
  readonly maxBytes: number;
}

/** The first lines of an error page suffice. */
const ERROR_PAGE_BYTES = 4096;

/** A fetched page as a tool result: a header about the response, then the framed text or the image. */
export async function showPage(page: FetchedPage, options: ShowOptions): Promise<ToolResult> {
  const isError = page.status < 200 || page.status > 299;
  const header = headerOf(page, options);
  const text = (body: string): ToolResult => ({
    content: [{ kind: "text", text: `${header}\n${body}` }],
    ...(isError ? { isError: true } : {}),
  });
  if (page.bytes.length === 0) return text("\n(the body is empty)");

  const kind = pageKind(page.contentType, page.bytes);
  if (kind.kind === "binary") return text("\n(not text, so the content is not shown)");
  if (kind.kind === "image") {
    if (page.cut) return text(`\n(an image of type ${kind.mimeType}, not completely read: raise maxBytes)`);
    const data = Buffer.from(page.bytes).toString("base64");
    const shown = text(`\n(an image of type ${kind.mimeType})`);
    return {
      ...shown,
      content: [...shown.content, mcpBlock({ type: "image", data, mimeType: kind.mimeType })],
    };
  }

  const maxBytes = isError ? Math.min(ERROR_PAGE_BYTES, options.budget.maxBytes) : options.budget.maxBytes;
  const body =
    kind.kind === "html" ? await readable(page) : await decodePageInSlices(page.bytes, page.contentType);
  const shown = clamp((await inSlices(body, cleanText)).trim(), { kind: "head", maxBytes, notice: omitted });
  return text(`${UNTRUSTED_NOTE}\n\n${frameUntrusted(shown)}`);
}

async function readable(page: FetchedPage): Promise<string> {
  const source = await decodePageInSlices(page.bytes, page.contentType);
  const { title, markdown, isCut } = await htmlToMarkdown(source, page.url.href);
  const heading = oneLine(title, 300);
  const rest = isCut ? "\n\n[... the page continues; it is too long to convert completely ...]" : "";
  return `${heading === "" ? "" : `Title: ${heading}\n\n`}${markdown}${rest}`;
}

function headerOf(page: FetchedPage, options: ShowOptions): string {
  const type = oneLine(page.contentType, 100) || "not given";
  const size = {
    whole: `${page.bytes.length} bytes`,
    cap: `the first ${page.bytes.length} bytes; there is more (maxBytes was ${options.maxBytes})`,
    lost: `${page.bytes.length} bytes, not complete: the connection was lost`,
  }[page.cut ?? "whole"];
  const status = `${page.status} ${STATUS_CODES[page.status] ?? ""}`.trimEnd();
  return `URL: ${oneLine(page.url.href, 2000)}\nStatus: ${status}\nContent-Type: ${type}\nSize: ${size}`;
}

function omitted(bytes: number): string {
  return `\n[... ${bytes} more bytes of text omitted ...]`;
}

/** The kind of a body, detected from its bytes first and from its Content-Type second. */
type PageKind =
  | { readonly kind: "html" }
  | { readonly kind: "text" }
  | { readonly kind: "image"; readonly mimeType: string }
  | { readonly kind: "binary" };

function pageKind(contentType: string, bytes: Uint8Array): PageKind {
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

/** UTF-16 units handled in one go: about a millisecond of work. */
const SLICE = 64 * 1024;

/**
 * Applies a function to a long text slice by slice, with other work in between. A slice never ends inside a character
 * or between a carriage return and what follows it.
 */
export async function inSlices(text: string, change: (slice: string) => string): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = at + SLICE;
    while (end < text.length && /[\r\ud800-\udbff]/.test(text.charAt(end - 1))) end++;
    parts.push(change(text.slice(at, end)));
    at = end;
    if (at < text.length) await nextTurn();
  }
  return parts.join("");
}
